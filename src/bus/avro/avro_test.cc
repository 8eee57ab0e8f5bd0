#include "bus/avro/avro.h"

#include <gtest/gtest.h>

#include <cmath>

#include "json/read.h"

namespace patchbay::bus {
namespace {

using Schema = std::shared_ptr<const AvroSchema>;

Schema parsed(std::string_view text, std::span<const json::SchemaDocument> documents = {},
              const AvroLimits& limits = {}) {
  auto schema = AvroSchema::parse(text, documents, limits);
  EXPECT_TRUE(schema) << schema.error().message << "\n" << text;
  return schema ? *schema : nullptr;
}

std::string fault_of(std::string_view text) {
  auto schema = AvroSchema::parse(text);
  return schema ? "" : schema.error().message;
}

// Bytes as people write them: two digits each.
std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {kDigits[byte / 16], kDigits[byte % 16]};
  }
  return text;
}

std::string bytes_of(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string encoded(const Schema& schema, std::string_view json) {
  auto bytes = schema->encode(json);
  return bytes ? hex(*bytes) : bytes.error().message;
}

std::string decoded(const Schema& schema, std::string_view digits) {
  auto json = schema->decode(bytes_of(digits));
  return json ? *json : json.error().message;
}

// A value, how it is in binary, and that the two become each other.
void expect_same(std::string_view schema_text, std::string_view json, std::string_view digits) {
  const auto schema = parsed(schema_text);
  if (!schema) return;
  EXPECT_EQ(encoded(schema, json), digits) << schema_text;
  EXPECT_EQ(decoded(schema, digits), json) << schema_text;
  auto compiled = json::Schema::compile(schema->json_schema());
  ASSERT_TRUE(compiled) << compiled.error().message << schema->json_schema();
  auto fits = (*compiled)->validate(json);
  EXPECT_TRUE(fits) << fits.error().message << schema->json_schema();
}

constexpr std::string_view kTree =
    R"({"type":"record","name":"Tree","namespace":"a.b","doc":"A tree","fields":[)"
    R"({"name":"n","type":"int"},)"
    R"({"name":"left","type":["null","Tree"]},{"name":"right","type":["null","a.b.Tree"]}]})";

// The examples of the specification, and the edges of what fits.
TEST(Avro, WritesPrimitiveTypesAsTheSpecificationHasThem) {
  expect_same(R"("null")", "null", "");
  expect_same(R"("boolean")", "true", "01");
  expect_same(R"("boolean")", "false", "00");
  expect_same(R"("int")", "0", "00");
  expect_same(R"("int")", "-1", "01");
  expect_same(R"("int")", "1", "02");
  expect_same(R"("int")", "-64", "7f");
  expect_same(R"("int")", "64", "8001");
  expect_same(R"("int")", "2147483647", "feffffff0f");
  expect_same(R"("int")", "-2147483648", "ffffffff0f");
  expect_same(R"("long")", "9223372036854775807", "feffffffffffffffff01");
  expect_same(R"("long")", "-9223372036854775808", "ffffffffffffffffff01");
  expect_same(R"("float")", "0.5", "0000003f");
  expect_same(R"("float")", "3.4028235e+38", "ffff7f7f");
  expect_same(R"("double")", "-2.5", "00000000000004c0");
  expect_same(R"("string")", "\"foo\"", "06666f6f");
  expect_same(R"("string")", "\"\xC3\xA4\"", "04c3a4");
  expect_same(R"("bytes")", "\"AP8=\"", "0400ff");
}

TEST(Avro, WritesWhatIsMadeOfOthers) {
  expect_same(R"({"type":"record","name":"test","fields":[{"name":"a","type":"long"},)"
              R"({"name":"b","type":"string"}]})",
              R"({"a":27,"b":"foo"})", "3606666f6f");
  expect_same(R"({"type":"enum","name":"Foo","symbols":["A","B","C","D"]})", "\"D\"", "06");
  expect_same(R"({"type":"array","items":"long"})", "[3,27]", "04063600");
  expect_same(R"({"type":"array","items":"long"})", "[]", "00");
  expect_same(R"({"type":"map","values":"int"})", R"({"a":1,"b":2})", "0402610202620400");
  expect_same(R"(["null","string"])", "null", "00");
  expect_same(R"(["null","string"])", "\"a\"", "020261");
  expect_same(R"({"type":"fixed","name":"F","size":2})", "\"AP8=\"", "00ff");
  expect_same(kTree, R"({"n":1,"left":{"n":2,"left":null,"right":null},"right":null})",
              "02020400"
              "0000");
}

TEST(Avro, ReadsBlocksOfAnyKind) {
  const auto array = parsed(R"({"type":"array","items":"long"})");
  EXPECT_EQ(decoded(array,
                    "020602360"
                    "0"),
            "[3,27]");                                // Two blocks of one.
  EXPECT_EQ(decoded(array, "0304063600"), "[3,27]");  // -2, its bytes, two items.
  EXPECT_EQ(decoded(array, "0306063600"), "at byte 4: a block does not have its stated size");
  EXPECT_EQ(decoded(array, "03ff01"), "at byte 3: a length is negative");
  const auto map = parsed(R"({"type":"map","values":"int"})");
  EXPECT_EQ(decoded(map,
                    "0106026102"
                    "00"),
            R"({"a":1})");
  EXPECT_EQ(decoded(map, "0402610202610400"), "at byte 6: a map has a duplicate key");
}

TEST(Avro, ABlockCannotClaimMoreThanIsBounded) {
  const std::string many = "80808080808080808001";  // 2^62 items.
  for (const char* const items : {R"("null")", R"({"type":"record","name":"E","fields":[]})"}) {
    const auto schema = parsed(std::string(R"({"type":"array","items":)") + items + "}");
    auto json = schema->decode(bytes_of(many));
    ASSERT_FALSE(json);
    EXPECT_EQ(json.error().code, Code::too_large);
    EXPECT_TRUE(json.error().message.contains("too many parts")) << json.error().message;
  }
  const auto least = bytes_of("ffffffffffffffffff0100");  // The most negative count, no bytes.
  auto json = parsed(R"({"type":"array","items":"null"})")->decode(least);
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().code, Code::too_large);
  const auto strings = parsed(R"({"type":"array","items":"string"})");
  EXPECT_EQ(decoded(strings, many), "at byte 10: the value is cut off");
}

TEST(Avro, ReportsFaultsOfBytes) {
  EXPECT_EQ(decoded(parsed(R"("int")"), "8080808010"), "at byte 5: an int has more than 32 bits");
  EXPECT_EQ(decoded(parsed(R"("long")"), "ffffffffffffffffffff"),
            "at byte 10: a number has more than 64 bits");
  EXPECT_EQ(decoded(parsed(R"("long")"), "ffffffffffffffffff02"),
            "at byte 10: a number has more than 64 bits");
  EXPECT_EQ(decoded(parsed(R"("long")"), "ff"), "at byte 1: the value is cut off");
  EXPECT_EQ(decoded(parsed(R"("string")"), "0661"),
            "at byte 1: a length of 3 where 1 bytes are left");
  EXPECT_EQ(decoded(parsed(R"("string")"), "02ff"), "at byte 1: a string is not UTF-8");
  EXPECT_EQ(decoded(parsed(R"("boolean")"), "02"), "at byte 1: a boolean is neither 0 nor 1");
  EXPECT_EQ(decoded(parsed(R"("boolean")"), "0100"),
            "at byte 1: 1 bytes are left over after the value");
  EXPECT_EQ(decoded(parsed(R"(["null","int"])"), "04"),
            "at byte 1: a union of 2 types has no type 2");
  EXPECT_EQ(decoded(parsed(R"({"type":"enum","name":"n.E","symbols":["A"]})"), "01"),
            "at byte 1: n.E has no symbol -1");
  EXPECT_EQ(decoded(parsed(R"({"type":"fixed","name":"F","size":2})"), "00"),
            "at byte 0: the value is cut off");
}

TEST(Avro, ValuesWithoutAJsonFormAreFaults) {
  for (const char* const digits : {"0000c07f", "0000807f", "000080ff"}) {
    EXPECT_EQ(decoded(parsed(R"("float")"), digits), "at byte 4: JSON has no NaN and no infinity");
  }
  EXPECT_EQ(decoded(parsed(R"("double")"), "000000000000f87f"),
            "at byte 8: JSON has no NaN and no infinity");
}

TEST(Avro, TakesNumbersHoweverTheyAreWritten) {
  const auto whole = parsed(R"("int")");
  EXPECT_EQ(encoded(whole, "1e3"), encoded(whole, "1000"));
  EXPECT_EQ(encoded(whole, "-2.0"), encoded(whole, "-2"));
  EXPECT_EQ(encoded(whole, "1.5"), "the value must be a whole number of 32 bits");
  EXPECT_EQ(encoded(whole, "2147483648"), "the value must be a whole number of 32 bits");
  EXPECT_EQ(encoded(parsed(R"("long")"), "9223372036854775808"),
            "the value must be a whole number of 64 bits");
  EXPECT_EQ(encoded(parsed(R"("float")"), "1e39"), "the value is beyond the range of a float");
  EXPECT_EQ(encoded(parsed(R"("double")"), "1e309"), "the value is beyond the range of a double");
}

TEST(Avro, ReportsThePathOfAMismatch) {
  const auto schema =
      parsed(R"({"type":"record","name":"R","namespace":"n","fields":[)"
             R"({"name":"list","type":{"type":"array","items":"int"}},)"
             R"({"name":"hash","type":["null",{"type":"fixed","name":"F","size":2}]},)"
             R"({"name":"kind","type":{"type":"enum","name":"E","symbols":["A"]},"default":"A"},)"
             R"({"name":"any","type":["null","int","string"]}]})");
  EXPECT_EQ(encoded(schema, R"({"list":[1,"2"]})"), "/list/1 must be of the type int");
  EXPECT_EQ(encoded(schema, "{}"), "the value needs the field 'list'");
  EXPECT_EQ(encoded(schema, R"({"list":[],"more":1})"), "/more is not a field of n.R");
  EXPECT_EQ(encoded(schema, R"({"list":[],"hash":"AA=="})"), "/hash must have 2 bytes, has 1");
  EXPECT_EQ(encoded(schema, R"({"list":[],"hash":"A"})"), "/hash must be base64");
  EXPECT_EQ(encoded(schema, R"({"list":[],"kind":"B"})"), "/kind is none of the symbols of n.E");
  EXPECT_EQ(encoded(schema, R"({"list":[],"any":true})"),
            "/any must be of one of the types null, int, string");
  EXPECT_EQ(encoded(schema, "[1"), parsed(R"("int")")->encode("[1").error().message);
  EXPECT_EQ(encoded(schema, R"({"list":[]})"), "00000000");
}

TEST(Avro, AUnionTakesTheFirstTypeThatFits) {
  const auto schema = parsed(
      R"(["int","long","double",{"type":"record","name":"A","fields":[{"name":"a","type":"int"}]},)"
      R"({"type":"record","name":"B","fields":[{"name":"b","type":"int"}]},)"
      R"({"type":"map","values":"int"}])");
  EXPECT_EQ(encoded(schema, "1"), "0002");
  EXPECT_EQ(encoded(schema, "2147483648"), "028080808010");
  EXPECT_EQ(encoded(schema, "0.5").substr(0, 2), "04");
  EXPECT_EQ(encoded(schema, R"({"a":1})"), "0602");
  EXPECT_EQ(encoded(schema, R"({"b":1})"), "0802");
  EXPECT_EQ(encoded(schema, R"({"c":1})").substr(0, 2), "0a");
}

// Each level could be tried twice, and each of those tries again.
TEST(Avro, TriesOfUnionsAreBounded) {
  const auto schema =
      parsed(R"({"type":"record","name":"A","fields":[{"name":"f","type":["null","A",)"
             R"({"type":"record","name":"B","fields":[{"name":"f","type":["null","A","B"]}]}]}]})");
  std::string value = R"({"f":1})";
  for (int i = 0; i < 40; ++i) value = R"({"f":)" + value + "}";
  auto bytes = schema->encode(value);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, Code::too_large);
}

TEST(Avro, FieldsThatAreNotGivenGetTheirDefaults) {
  const auto schema = parsed(
      R"({"type":"record","name":"R","fields":[)"
      R"({"name":"b","type":"bytes","default":"\u0000\u00ff"},)"
      R"({"name":"u","type":["string","null"],"default":null},)"
      R"({"name":"r","type":{"type":"record","name":"S","fields":[)"
      R"({"name":"x","type":"int","default":3},{"name":"y","type":"int"}]},"default":{"y":4}},)"
      R"({"name":"n","type":["null","int"]},)"
      R"({"name":"e","type":{"type":"array","items":"int"},"default":[]}]})");
  const std::string bytes =
      "0400ff"
      "02"
      "0608"
      "00"
      "00";
  EXPECT_EQ(encoded(schema, "{}"), bytes);
  EXPECT_EQ(decoded(schema, bytes), R"({"b":"AP8=","u":null,"r":{"x":3,"y":4},"n":null,"e":[]})");
  const std::string text = schema->json_schema();
  EXPECT_EQ(json::member(text, "required"), std::nullopt);
  EXPECT_TRUE(text.contains(R"("contentEncoding":"base64","default":"AP8=")")) << text;
}

TEST(Avro, NamesAreFoundInTheirNameSpaces) {
  expect_same(R"({"type":"record","name":"R","namespace":"a.b","fields":[)"
              R"({"name":"x","type":{"type":"enum","name":"E","namespace":"c","symbols":["S"]}},)"
              R"({"name":"y","type":"c.E"},)"
              R"({"name":"z","type":{"type":"record","name":"d.T","fields":[)"
              R"({"name":"f","type":{"type":"fixed","name":"F","size":1}}]}},)"
              R"({"name":"w","type":"d.F"}]})",
              R"({"x":"S","y":"S","z":{"f":"AA=="},"w":"AQ=="})", "00000001");
  const json::SchemaDocument other{"c.Other",
                                   R"({"type":"record","name":"Other","namespace":"c","fields":[)"
                                   R"({"name":"third","type":["null","c.Third"]}]})"};
  const json::SchemaDocument third{"c.Third",
                                   R"({"type":"enum","name":"c.Third","symbols":["T"]})"};
  const std::array documents{other, third};
  const auto schema = parsed(R"({"type":"array","items":"c.Other"})", documents);
  EXPECT_EQ(encoded(schema, R"([{"third":"T"}])"), "02020000");
}

TEST(Avro, LogicalTypesTravelAsWhatTheyAre) {
  expect_same(R"({"type":"long","logicalType":"timestamp-millis"})", "1", "02");
  expect_same(R"({"type":"bytes","logicalType":"decimal","precision":4,"scale":2})", "\"AQ==\"",
              "0201");
  expect_same(R"({"type":{"type":"string","avro.java.string":"String"}})", "\"a\"", "0261");
  EXPECT_EQ(parsed(R"({"type":"long","logicalType":"timestamp-millis"})")->json_schema(),
            R"({"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807,)"
            R"("description":"timestamp-millis"})");
}

TEST(Avro, TheJsonSchemaDescribesTheArguments) {
  EXPECT_EQ(
      parsed(R"({"type":"record","name":"Order","doc":"An order","fields":[)"
             R"({"name":"id","type":"string","doc":"Its number"},)"
             R"({"name":"count","type":"int","default":1},)"
             R"({"name":"note","type":["null","string"]},)"
             R"({"name":"size","type":{"type":"enum","name":"Size","symbols":["S","L"]}},)"
             R"({"name":"tags","type":{"type":"map","values":"boolean"}}]})")
          ->json_schema(),
      R"({"type":"object","properties":{"id":{"type":"string","description":"Its number"},)"
      R"("count":{"type":"integer","minimum":-2147483648,"maximum":2147483647,"default":1},)"
      R"("note":{"anyOf":[{"type":"null"},{"type":"string"}]},)"
      R"("size":{"type":"string","enum":["S","L"]},)"
      R"("tags":{"type":"object","additionalProperties":{"type":"boolean"}}},)"
      R"("required":["id","size","tags"],"additionalProperties":false,"description":"An order"})");
}

TEST(Avro, TypesThatAreUsedTwiceAreReferredTo) {
  const std::string text = parsed(kTree)->json_schema();
  EXPECT_TRUE(text.contains(R"({"$ref":"#/$defs/a.b.Tree"})")) << text;
  auto compiled = json::Schema::compile(text);
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_TRUE((*compiled)->validate(R"({"n":1,"left":{"n":2}})"));
  EXPECT_FALSE((*compiled)->validate(R"({"n":1,"left":{"n":"2"}})"));
  EXPECT_EQ(parsed(R"({"type":"record","name":"L","fields":[{"name":"n","type":["null","L"]}]})")
                ->json_schema(),
            R"({"type":"object","properties":{"n":{"anyOf":[{"type":"null"},)"
            R"({"$ref":"#/$defs/L"}]}},"additionalProperties":false,"$defs":{"L":{)"
            R"("type":"object","properties":{"n":{"anyOf":[{"type":"null"},)"
            R"({"$ref":"#/$defs/L"}]}},"additionalProperties":false}}})");
  // Written out wherever they are used, these would be a million.
  std::string nested = R"({"type":"record","name":"R20","fields":[]})";
  for (int i = 19; i >= 0; --i) {
    nested = R"({"type":"record","name":"R)" + std::to_string(i) +
             R"(","fields":[{"name":"a","type":)" + nested + R"(},{"name":"b","type":"R)" +
             std::to_string(i + 1) + R"("}]})";
  }
  const auto many = parsed(nested);
  EXPECT_LT(many->json_schema().size(), 10'000U);
  EXPECT_TRUE(json::Schema::compile(many->json_schema()));
}

TEST(Avro, ReportsFaultsOfASchema) {
  EXPECT_EQ(fault_of(R"("Order")"), "there is no type 'Order'");
  EXPECT_EQ(fault_of("7"), "a type is a name, an object or an array");
  EXPECT_EQ(fault_of("{}"), "'type' is missing");
  EXPECT_EQ(fault_of("[]"), "a union needs at least one type");
  EXPECT_EQ(fault_of(R"(["int",["null"]])"), "/1: a union cannot be directly in another");
  EXPECT_EQ(fault_of(R"(["int","int"])"), "/1: the union has int already");
  EXPECT_EQ(fault_of(R"({"type":"array"})"), "'items' is missing");
  EXPECT_EQ(fault_of(R"({"type":"record","fields":[]})"), "'name' is missing");
  EXPECT_EQ(fault_of(R"({"type":"record","name":"a-b","fields":[]})"), "'a-b' is not a name");
  EXPECT_EQ(fault_of(R"({"type":"record","name":"R"})"), "'fields' must be an array");
  EXPECT_EQ(fault_of(R"({"type":"enum","name":"E","symbols":["A","A"]})"),
            "/symbols/1: there is a symbol 'A' already");
  EXPECT_EQ(fault_of(R"({"type":"fixed","name":"F","size":-1})"),
            "'size' must be a number up to 16777216");
  EXPECT_EQ(fault_of(R"({"type":"record","name":"R","fields":[{"name":"a","type":"B"}]})"),
            "/fields/0/type: there is no type 'B'");
  EXPECT_EQ(
      fault_of(R"({"type":"record","name":"R","fields":[{"name":"a","type":"int","default":""}]})"),
      "the default of the field 'a' of R: the value must be of the type int");
  EXPECT_NE(fault_of("{"), "");
}

TEST(Avro, SchemasAreBounded) {
  // Each default holds the one before twice.
  std::string doubled = R"([{"type":"record","name":"R0","fields":[{"name":"n","type":"int"}]})";
  for (int i = 1; i < 40; ++i) {
    const std::string before = std::to_string(i - 1);
    const std::string given = i == 1 ? R"({"n":1})" : "{}";
    doubled += R"(,{"type":"record","name":"R)" + std::to_string(i) + R"(","fields":[)" +
               R"({"name":"a","type":"R)" + before + R"(","default":)" + given + "}," +
               R"({"name":"b","type":"R)" + before + R"(","default":)" + given + "}]}";
  }
  auto large = AvroSchema::parse(doubled + "]");
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, Code::too_large) << large.error().message;
  const std::string one = R"("type":"string","default":"0123456789"})";
  auto both = AvroSchema::parse(R"({"type":"record","name":"R","fields":[{"name":"a",)" + one +
                                    R"(,{"name":"b",)" + one + "]}",
                                {}, {.defaults = 20});
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().code, Code::too_large) << both.error().message;
  auto endless = AvroSchema::parse(
      R"({"type":"record","name":"R","fields":[{"name":"a","type":"R","default":{}}]})");
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().code, Code::too_large);
  auto types = AvroSchema::parse(R"(["null",{"type":"array","items":"int"}])", {}, {.types = 9});
  ASSERT_FALSE(types);
  EXPECT_EQ(types.error().code, Code::too_large);
  // A record that holds itself has no value that ends.
  auto value =
      parsed(R"({"type":"record","name":"R","fields":[{"name":"a","type":"R"}]})")->decode("");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code, Code::too_large);
}

}  // namespace
}  // namespace patchbay::bus
