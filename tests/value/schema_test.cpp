// schema_test.cpp: one fault for each wrong thing, and defaults where nothing is written.
#include "value/schema.hpp"

#include "json_source.hpp"
#include "refusal.hpp"
#include "value/json.hpp"

using namespace broch::value;
using support::refusal;

namespace {

constexpr char kSchema[] = R"({
  "type": "object",
  "required": ["metric"],
  "properties": {
    "metric": {"type": "string", "minLength": 1, "maxLength": 5, "description": "name of a metric"},
    "patience": {"type": "integer", "minimum": 1, "maximum": 9, "default": 5},
    "rate": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "x-broch-unit": "seconds"},
    "mode": {"enum": ["min", "max"], "default": "min"},
    "flag": {"type": ["boolean", "null"], "default": null},
    "version": {"const": 2},
    "names": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}, "minItems": 1, "maxItems": 2},
    "file": {"type": "string", "x-broch-path": true},
    "nested": {"type": "object", "default": {}, "properties": {"depth": {"type": "integer", "default": 3}}},
    "sizes": {"type": "object", "additionalProperties": {"type": "integer"}},
    "many": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "array", "items": {"type": "integer"}}]},
    "one": {"oneOf": [{"type": "number", "maximum": 10}, {"type": "number", "minimum": 5}]},
    "child": {"x-broch-component": "dataflow"},
    "maybe": {"x-broch-component": "dataflow", "default": null},
    "children": {"type": "array", "items": {"x-broch-component": "inferencer"}},
    "schedule": {"x-broch-function": true}
  }
})";

Checked check(const std::string& text) {
  Faults faults;
  Checked checked = check_value(parse(support::source(text)), parse_text("s", kSchema), "org.x",
                                "/callbacks/0/with", faults);
  faults.raise();
  return checked;
}

std::string checked_text(const std::string& text) { return to_text(check(text).value); }

std::string schema_fault(const std::string& schema) {
  return refusal([&] {
           Faults faults;
           check_schema(parse_text("s", schema), broch::base::Exit::plugin, faults);
           faults.raise();
         })
      .text;
}

}  // namespace

TEST_CASE("schema: defaults are filled in, also inside objects, and say where they come from") {
  const Checked checked = check(R"({"metric": "loss"})");
  CHECK(
      to_text(checked.value) ==
      R"({"metric":"loss","patience":5,"mode":"min","flag":null,"nested":{"depth":3},"maybe":null})");
  CHECK(checked.value.find("patience")->origin().text() == "default of org.x.patience");
  CHECK(find_at(checked.value, "/nested/depth")->origin().text() ==
        "default of org.x.nested.depth");
}

TEST_CASE("schema: a whole real becomes an integer where an integer is wanted") {
  CHECK(check(R"({"metric": "a", "patience": 3.0})")
            .value.find("patience")
            ->is(Value::Kind::integer));
  CHECK(refusal([] { check(R"({"metric": "a", "patience": 3.5})"); }).exit == 3);
}

TEST_CASE("schema: paths become absolute, relative to the file they stand in") {
  CHECK(check(R"({"metric": "a", "file": "../x/y"})").value.find("file")->string() == "/runs/x/y");
  CHECK(check(R"({"metric": "a", "file": "/z"})").value.find("file")->string() == "/z");
  CHECK(check(R"({"metric": "a", "file": ""})").value.find("file")->string().empty());
}

TEST_CASE("schema: notes are allowed and kept") {
  CHECK(checked_text(R"({"metric": "a", "x-why": [1]})").find(R"("x-why":[1])") !=
        std::string::npos);
}

TEST_CASE("schema: children are found with their roles, in lists too") {
  const Checked checked = check(
      R"({"metric": "a", "child": "digits", "children": ["e", {"use": "f"}], "schedule": {"use": "g"}})");
  REQUIRE(checked.children.size() == 4);
  CHECK(checked.children[0].pointer == "/child");
  CHECK(checked.children[1].pointer == "/children/0");
  CHECK(checked.children[2].role == "inferencer");
  CHECK(checked.children[3].role == "function");
}

TEST_CASE("schema: a function may be an expression or a number and stays as it is") {
  CHECK(checked_text(R"({"metric": "a", "schedule": "0.1 * epoch_num"})").find("0.1 * epoch_num") !=
        std::string::npos);
  CHECK(check(R"({"metric": "a", "schedule": 0.5})").children.empty());
}

TEST_CASE("schema: each wrong value gives one fault with place, found, expected and next step") {
  struct Row {
    std::string member;
    support::Expected wanted;
  };
  const Row rows[] = {
      {R"("patience": "3")",
       {"run.json:1:29: /callbacks/0/with/patience", "'3'", "an integer, at least 1", "change"}},
      {R"("patience": 0)",
       {"run.json:1:29: /callbacks/0/with/patience", "0", "at least 1", "change"}},
      {R"("patience": 10)",
       {"run.json:1:29: /callbacks/0/with/patience", "10", "at most 9", "change"}},
      {R"("rate": 0)",
       {"run.json:1:25: /callbacks/0/with/rate", "0", "a number, above 0, below 1 \\(seconds\\)",
        "change"}},
      {R"("rate": 1)", {"run.json:1:25: /callbacks/0/with/rate", "1", "below 1", "change"}},
      {R"("mode": "mim")",
       {"run.json:1:25: /callbacks/0/with/mode", "'mim'", "one of 'min', 'max'",
        "did you mean 'min'"}},
      {R"("flag": 1)",
       {"run.json:1:25: /callbacks/0/with/flag", "1", "true or false or null", "change"}},
      {R"("version": 3)", {"run.json:1:28: /callbacks/0/with/version", "3", "2", "change"}},
      {R"("names": [])",
       {"run.json:1:26: /callbacks/0/with/names", "a list of 0", "entries at least 1", "change"}},
      {R"("names": ["a", "B"])",
       {"run.json:1:32: /callbacks/0/with/names/1", "'B'", "matching", "change"}},
      {R"("nested": {"depht": 1})",
       {"run.json:1:28: /callbacks/0/with/nested/depht", "unknown key 'depht'", "depth",
        "did you mean 'depth'"}},
      {R"("sizes": {"a": "b"})",
       {"run.json:1:32: /callbacks/0/with/sizes/a", "'b'", "an integer", "change"}},
      {R"("many": -1)",
       {"run.json:1:25: /callbacks/0/with/many", "-1", "an integer, at least 0", "change"}},
      {R"("many": [1, "x"])",
       {"run.json:1:29: /callbacks/0/with/many/1", "'x'", "an integer", "change"}},
      {R"("many": "x")",
       {"run.json:1:25: /callbacks/0/with/many", "'x'", "an integer, at least 0 or a list",
        "change"}},
      {R"("one": 7)",
       {"run.json:1:24: /callbacks/0/with/one", "7, which fits several forms", "at most 10 or",
        "choose"}},
      {R"("child": 7)",
       {"run.json:1:26: /callbacks/0/with/child", "7", "a component of role dataflow", "change"}},
      {R"("child": null)",
       {"run.json:1:26: /callbacks/0/with/child", "null", "a component of role dataflow",
        "change"}},
      {R"("schedule": [1])",
       {"run.json:1:29: /callbacks/0/with/schedule", "a list of 1", "an expression", "change"}},
      {R"("patiense": 1)",
       {"run.json:1:17: /callbacks/0/with/patiense", "unknown key", "one of metric, patience",
        "did you mean 'patience'"}},
  };
  for (const Row& row : rows) {
    const auto refused = refusal([&] { check(R"({"metric": "a", )" + row.member + "}"); });
    support::check_refusal(row.member, refused, row.wanted);
    CHECK(refused.text.find("hint:") == refused.text.rfind("hint:"));
  }
  support::check_refusal(
      "required", refusal([] { check("{}"); }),
      {"run.json:1:1: /callbacks/0/with", "no key 'metric'", "a string", "name of a metric"});
  support::check_refusal(
      "length", refusal([] { check(R"({"metric": "\u00e9\u00e9\u00e9\u00e9\u00e9s"})"); }),
      {"run.json:1:12: /callbacks/0/with/metric", "'.*'", "length at most 5", "name of a metric"});
}

TEST_CASE("schema: several faults come in one error, in order") {
  const auto refused = refusal([] { check(R"({"metric": 1, "mode": 2, "flag": 3})"); });
  const size_t first = refused.text.find("/metric");
  const size_t second = refused.text.find("/mode");
  CHECK(first < second);
  CHECK(second < refused.text.find("/flag"));
}

TEST_CASE("schema: a long string is refused by a pattern instead of being matched") {
  const std::string text = R"({"metric": "a", "names": [")" + std::string(60'000, 'a') + "\"]}";
  CHECK(refusal([&] { check(text); }).exit == 3);
}

TEST_CASE("schema: our own test schema is of the subset, and mistakes in others are named") {
  CHECK(schema_fault(kSchema).empty());
  CHECK(schema_fault(R"({"type": "float"})").find("a type or a list of types") !=
        std::string::npos);
  CHECK(schema_fault(R"({"minimun": 1})").find("did you mean 'minimum'?") != std::string::npos);
  CHECK(schema_fault(R"({"type": "string", "x-broch-point": "changed"})").empty());
  CHECK(schema_fault(R"({"$ref": "#/x"})").find("unknown keyword '$ref'") != std::string::npos);
  CHECK(schema_fault(R"({"x-broch-mutable": true, "x-broch-component": "callback"})")
            .find("may change") != std::string::npos);
  CHECK(schema_fault(R"({"properties": {"a": {"type": "array", "x-broch-mutable": true,
                         "items": {"x-broch-component": "callback"}}}})")
            .find("/properties/a/items: ") != std::string::npos);
  CHECK(schema_fault(R"({"properties": {"a": {"items": {"x-broch-mutable": true}}}})")
            .find("without a name") != std::string::npos);
  CHECK(schema_fault(R"({"properties": {"a": {"properties": {"b": {"x-broch-mutable": true}}}}})")
            .empty());
  CHECK(schema_fault(R"({"properties": {"a": {"minimum": "1"}}})").find("/properties/a/minimum") !=
        std::string::npos);
  CHECK(schema_fault(R"({"pattern": "("})").find("regular expression") != std::string::npos);
  CHECK(schema_fault(R"({"properties": {"a": {"type": "integer", "default": "1"}}})")
            .find("/properties/a/default: '1'") != std::string::npos);
  CHECK(schema_fault(R"({"items": {"properties": {"a": {"type": "integer", "default": "1"}}}})")
            .find("/items/properties/a/default: '1'") != std::string::npos);
  CHECK(schema_fault(R"({"additionalProperties": {"properties": {"a": {"type": "integer",
                         "default": "1"}}}})")
            .find("/additionalProperties/properties/a/default: '1'") != std::string::npos);
  CHECK(schema_fault("[]").find("expected a schema") != std::string::npos);
  CHECK(schema_fault(R"({"anyOf": []})").find("list of schemas") != std::string::npos);
}

TEST_CASE("schema: what is required can be given") {
  const std::string fault =
      schema_fault(R"({"properties": {"size": {}}, "required": ["size", "sise", "x-note"]})");
  CHECK(fault.find("/required/1: 'sise', which no property has") != std::string::npos);
  CHECK(fault.find("did you mean 'size'?") != std::string::npos);
  CHECK(schema_fault(R"({"type": "object", "required": ["a"]})").find("/required/0") !=
        std::string::npos);
  CHECK(schema_fault(R"({"properties": {}, "additionalProperties": false, "required": ["a"]})")
            .find("/required/0") != std::string::npos);
  CHECK(
      schema_fault(R"({"properties": {}, "additionalProperties": {}, "required": ["a"]})").empty());
  CHECK(schema_fault(R"({"required": ["a"]})").empty());
}

TEST_CASE("schema: a limit is one of the type beside it") {
  const auto told = [](const std::string& schema, const std::string& text) {
    CAPTURE(schema);
    CHECK(schema_fault(schema).find(text) != std::string::npos);
  };
  told(R"({"type": "string", "minimum": 3})",
       "/minimum: 'minimum' next to the type \"string\", expected the type number or integer");
  told(R"({"type": "integer", "pattern": "a"})", "expected the type string");
  told(R"({"type": ["number", "null"], "maxLength": 3})", "expected the type string");
  told(R"({"type": "object", "minItems": 1})", "expected the type array");
  told(R"({"type": "string", "items": {}})", "expected the type array");
  CHECK(schema_fault(R"({"type": ["integer", "null"], "minimum": 3})").empty());
  CHECK(schema_fault(R"({"minimum": 3, "minLength": 1})").empty());
}

namespace {

// Shapes inside shapes: an object names its kind, and a list has objects of the same kinds.
constexpr char kShapes[] = R"({
  "type": "object",
  "properties": {
    "shapes": {
      "type": "array",
      "items": {"x-broch-ref": "#/properties/shapes/definitions/shape"},
      "definitions": {"shape": {"oneOf": [
        {"type": "object", "required": ["kind"],
         "properties": {"kind": {"const": "circle"}, "radius": {"type": "number", "default": 1}}},
        {"type": "object", "required": ["kind", "inner"],
         "properties": {"kind": {"const": "group"}, "inner": {
           "type": "array", "items": {"x-broch-ref": "#/properties/shapes/definitions/shape"}}}}
      ]}}
    },
    "end": {"anyOf": [{"enum": ["stop"]},
                      {"type": "object", "properties": {"at": {"const": 1}}},
                      {"type": "object", "properties": {"at": {"const": 2}}}]}
  }
})";

std::string shapes_text(const std::string& text) {
  Faults faults;
  const Checked checked = check_value(parse(support::source(text)), parse_text("s", kShapes),
                                      "org.x", "/model/with", faults);
  faults.raise();
  return to_text(checked.value);
}

}  // namespace

TEST_CASE("schema: a constant tells objects apart, and definitions may contain themselves") {
  CHECK(schema_fault(kShapes).empty());
  CHECK(shapes_text(R"({"shapes": [{"kind": "group", "inner": [{"kind": "circle"}]}]})") ==
        R"({"shapes":[{"kind":"group","inner":[{"kind":"circle","radius":1}]}]})");
  CHECK(shapes_text(R"({"end": "stop"})") == R"({"end":"stop"})");
  CHECK(shapes_text(R"({"end": {"at": 2}})") == R"({"end":{"at":2}})");
  const auto told = [](const std::string& text, const support::Expected& wanted) {
    support::check_refusal(text, refusal([&] { shapes_text(text); }), wanted);
  };
  told(R"({"shapes": [{"kind": "cirkle"}]})",
       {"run.json:1:22: /model/with/shapes/0/kind", "'cirkle'", "one of 'circle', 'group'",
        "did you mean 'circle'"});
  told(R"({"shapes": [{}]})", {"run.json:1:13: /model/with/shapes/0", "no key 'kind'",
                               "\"kind\": one of 'circle', 'group'", "add it"});
  // Only the faults of the kind that is named, at any depth.
  told(R"({"shapes": [{"kind": "group", "inner": [{"kind": "circle", "radius": "1"}]}]})",
       {"run.json:1:70: /model/with/shapes/0/inner/0/radius", "'1'", "a number", "change"});
  told(R"({"shapes": [{"kind": "circle", "inner": []}]})",
       {"run.json:1:32: /model/with/shapes/0/inner", "unknown key 'inner'", "kind", "remove"});
  told(R"({"end": {"at": 3}})", {"run.json:1:16: /model/with/end/at", "3", "1", "choose"});
  told(R"({"end": "go"})", {"run.json:1:9: /model/with/end", "'go'", "'stop'", "choose"});
}

TEST_CASE("schema: x-broch-ref leads to a definition, and following it always ends") {
  const auto with = [](const std::string& a, const std::string& definitions) {
    return schema_fault(R"({"properties": {"a": )" + a + R"(}, "definitions": )" + definitions +
                        "}");
  };
  CHECK(with(R"({"x-broch-ref": "#/definitions/b"})", R"({"b": {"type": "string"}})").empty());
  for (const std::string wrong : {"#/definitions/c", "#/properties/a", "b", "#/definitions/b/type"})
    CHECK(with(R"({"x-broch-ref": ")" + wrong + "\"}", R"({"b": {"type": "string"}})")
              .find("/properties/a/x-broch-ref: '" + wrong + "'") != std::string::npos);
  CHECK(with(R"({"x-broch-ref": 1})", "{}").find("x-broch-ref: 1") != std::string::npos);
  CHECK(
      with(R"({"x-broch-ref": "#/definitions/b"})", R"({"b": {"x-broch-ref": "#/definitions/b"}})")
          .find("/definitions/b/x-broch-ref") != std::string::npos);
  CHECK(with(R"({"type": "string"})",
             R"({"b": {"anyOf": [{"x-broch-ref": "#/definitions/b"}, {"type": "null"}]}})")
            .find("as a branch of a choice") != std::string::npos);
  CHECK(with(R"({"type": "string"})", R"({"b": {"properties": {"c": {"default": 1,
             "type": "string"}}}})")
            .find("/definitions/b/properties/c/default: 1") != std::string::npos);
  CHECK(with(R"({"x-broch-ref": "#/definitions/b"})", R"({"b": {"type": "object", "properties":
             {"c": {"x-broch-ref": "#/definitions/b", "default": {}}}}})")
            .find("not contain itself") != std::string::npos);
  CHECK(with(R"({"type": "string"})", R"({"b": {"properties": {"c": {"x-broch-mutable": true}}}})")
            .find("without a name") != std::string::npos);
}
