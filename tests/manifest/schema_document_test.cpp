// schema_document_test.cpp: the shape of the composed schema; tests/schema gives it to a validator.
#include "manifest/schema_document.hpp"

#include "support.hpp"

using namespace broch::manifest;

namespace {

class Broken final : public support::FakeCatalog {
 public:
  const Kind* find(const std::string& id) const override {
    if (id == "x.broken")
      throw broch::base::Error(broch::base::Exit::plugin, "x.broken: no schema");
    return FakeCatalog::find(id);
  }
};

Value compose(support::FakeCatalog& catalog) {
  catalog.add("broch.trainer.simple", "trainer", "{}");
  catalog.add("x.net", "model", R"({
    "properties": {"width": {"type": "integer", "minimum": 1, "default": 32, "description": "channels"},
                   "text": {"type": "string"}, "kind": {"enum": ["a", "b"]},
                   "rate": {"x-broch-function": true, "default": 1},
                   "inner": {"type": "array", "items": {"x-broch-component": "model"}},
                   "any": {"anyOf": [{"type": "null"}, {"x-broch-component": "model"},
                                     {"type": "array", "items": {"type": "integer"}}]}},
    "required": ["width"]})");
  return schema_document(catalog).document;
}

std::string at(const Value& document, const std::string& pointer) {
  const Value* value = find_at(document, pointer);
  return value == nullptr ? "nothing" : to_text(*value);
}

}  // namespace

TEST_CASE("schema document: short names and ids, with what they are for") {
  support::FakeCatalog catalog;
  const Value document = compose(catalog);
  CHECK(at(document, "/$schema") == R"("http://json-schema.org/draft-07/schema#")");
  CHECK(at(document, "/definitions/slot.trainer/examples") == R"(["simple"])");
  CHECK(at(document, "/definitions/slot.trainer/then/anyOf/0/enum") ==
        R"(["simple","broch.trainer.simple"])");
  CHECK(at(document, "/definitions/entry.model.or-null") == "nothing");
  CHECK(at(document, "/definitions/slot.model.or-null/type") == R"(["string","object","null"])");
  CHECK(at(document, "/definitions/slot.model.or-null/then/anyOf/0/enum") == R"(["x.net"])");
  // Nothing is installed for it.
  CHECK(at(document, "/definitions/slot.callback/then") ==
        R"({"$ref":"#/definitions/substitution"})");
}

TEST_CASE("schema document: options depend on the use, closed but for notes") {
  support::FakeCatalog catalog;
  const Value document = compose(catalog);
  CHECK(at(document, "/definitions/entry.trainer/allOf/1") ==
        R"({"if":{"properties":{"use":{"enum":["broch.trainer.simple","simple"]}},)"
        R"("required":["use"]},"then":{"properties":{"with":{"$ref":)"
        R"("#/definitions/options.broch.trainer.simple"}}}})");
  CHECK(at(document, "/definitions/entry.model/allOf/1/then/required") == R"(["with"])");
  const std::string options = "/definitions/options.x.net";
  CHECK(at(document, options + "/else/additionalProperties") == "false");
  CHECK(at(document, options + "/else/patternProperties") == R"({"^x-":{}})");
  CHECK(at(document, "/definitions/entry.model/properties/when") == "nothing");
  CHECK(at(document, "/definitions/entry.model/properties/run_on") == "nothing");
  CHECK(at(document, "/definitions/entry.callback/properties/when/else/type") == R"("object")");
}

TEST_CASE("schema document: a substitution may stand anywhere, notes stay outside") {
  support::FakeCatalog catalog;
  const Value document = compose(catalog);
  const std::string options = "/definitions/options.x.net/else/properties/";
  CHECK(at(document, options + "width") ==
        R"({"default":32,"description":"channels","anyOf":[{"type":"integer","minimum":1},)"
        R"({"$ref":"#/definitions/substitution"}]})");
  CHECK(at(document, options + "text") == R"({"type":"string"})");
  CHECK(at(document, options + "rate") ==
        R"({"x-broch-function":true,"default":1,"type":["string","number","object"],)"
        R"("if":{"type":"object"},"then":{"$ref":"#/definitions/entry.function"}})");
  CHECK(at(document, options + "any/allOf/1") ==
        R"({"if":{"type":["string","object"]},"then":{"x-broch-component":"model",)"
        R"("allOf":[{"$ref":"#/definitions/slot.model"}]}})");
}

TEST_CASE("schema document: a component whose schema is none is left out, and named") {
  Broken catalog;
  catalog.add("x.broken", "trainer", "{}");
  catalog.add("broch.trainer.simple", "trainer", "{}");
  const SchemaDocument schema = schema_document(catalog);
  CHECK(schema.left_out == std::vector<std::string>{"x.broken: no schema"});
  CHECK(at(schema.document, "/definitions/slot.trainer/examples") == R"(["simple"])");
}
