SELECT 1 /* from x */ FROM/**/users -- x
, groups;