// URI templates of RFC 6570, as far as resource templates use them.

interface Part {
  literal?: string;
  operator?: string;
  names?: string[];
}

const EXPRESSION = /\{([+#./;?&]?)([^{}]{0,500})\}/g;

function partsOf(template: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of template.matchAll(EXPRESSION)) {
    parts.push({ literal: template.slice(end, match.index) });
    const names = (match[2] ?? '').split(',').map((name) => name.replace(/(\*|:\d+)$/, '').trim());
    parts.push({ operator: match[1] ?? '', names: names.filter(Boolean) });
    end = match.index + match[0].length;
  }
  parts.push({ literal: template.slice(end) });
  return parts;
}

export function variablesOf(template: string): string[] {
  return [...new Set(partsOf(template).flatMap((part) => part.names ?? []))];
}

const PREFIX: Record<string, string> = { '#': '#', '.': '.', '/': '/', ';': ';', '?': '?', '&': '&' };
const SEPARATOR: Record<string, string> = { '.': '.', '/': '/', ';': ';', '?': '&', '&': '&' };

export function expand(template: string, values: Record<string, string>): string {
  return partsOf(template)
    .map(({ literal, operator = '', names }) => {
      if (names === undefined) return literal ?? '';
      const found = names.filter((name) => values[name]);
      if (found.length === 0) return '';
      const texts = found.map((name) => {
        const value = values[name] ?? '';
        const encoded = operator === '+' || operator === '#' ? encodeURI(value) : encodeURIComponent(value);
        return operator === '?' || operator === '&' || operator === ';' ? `${name}=${encoded}` : encoded;
      });
      return (PREFIX[operator] ?? '') + texts.join(SEPARATOR[operator] ?? ',');
    })
    .join('');
}
