// metadata_test.cpp: good texts become components, bad ones are refused.
#include "plugins/metadata.hpp"

#include "support.hpp"

using broch::plugins::Component;
using broch::plugins::is_component_id;
using broch::plugins::Metadata;
using broch::plugins::parse_metadata;
using broch::plugins::RunOn;

namespace {

Metadata parse(const std::string& text) { return parse_metadata({text}, "x.so"); }

// One component with the given members beside the required ones.
std::string with(const std::string& members) {
  return R"({"components": [{"id": "org.example.x", "role": "callback", "version": "1.0.0",
             "summary": "Does nothing.")" +
         (members.empty() ? "" : ", " + members) + "}]}";
}

// One component in which one of the required members has another value, or none.
std::string having(const std::string& key, const std::string& value) {
  std::string text;
  const std::pair<const char*, const char*> members[] = {{"id", "\"org.example.x\""},
                                                         {"role", "\"callback\""},
                                                         {"version", "\"1.0.0\""},
                                                         {"summary", "\"Does nothing.\""}};
  for (const auto& [name, usual] : members) {
    const std::string chosen = name == key ? value : usual;
    if (chosen.empty()) continue;
    text += (text.empty() ? "\"" : ", \"") + std::string(name) + "\": " + chosen;
  }
  return "{\"components\": [{" + text + "}]}";
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

struct Bad {
  std::string text;
  const char* place;  // after "x.so: metadata"
  const char* found;
  const char* expected;
};

const std::vector<Bad>& bad_texts() {
  static const std::vector<Bad> texts = {
      {"", "", "parse error", "JSON"},
      {"{", "", "parse error", "JSON"},
      {"{\"components\": [}", "", "parse error", "JSON"},
      {with("") + "x", "", "parse error", "JSON"},
      {"{\"components\": [] /* none */}", "", "parse error", "JSON without comments"},
      {with("\"x-a\": \"\xff\""), "", "parse error.*UTF-8", "JSON"},
      {with("\"x-a\": NaN"), "", "parse error", "JSON"},
      {with("\"x-a\": 1e999"), "", "number overflow", "JSON"},
      {with("\"id\": \"org.example.y\""), "", "key 'id' twice", "each key once"},
      {with("\"x-a\": " + repeated("[", 70) + repeated("]", 70)), "", "more than 64 levels",
       "at most 64"},
      {with("\"x-a\": [" + repeated("1,", 10000) + "1]"), "", "more than 10000 values",
       "at most 10000"},
      {with("\"x-a\": \"" + repeated("a", 65537) + "\""), "", "string of 65537 bytes",
       "at most 65536"},
      {with("\"x-a\": \"" + repeated(" ", 1 << 20) + "\""), "", "10\\d+ bytes", "at most 1 MiB"},
      {"[]", "", "is of type array", "an object"},
      {"{}", "", "has no 'components'", "an array"},
      {"{\"components\": {}}", " /components", "is of type object", "an array"},
      {"{\"components\": []}", " /components", "is empty", "at least one component"},
      {"{\"components\": [7]}", " /components/0", "is of type number", "an object"},
      {having("id", ""), " /components/0", "has no 'id'", "a string"},
      {having("id", "5"), " /components/0/id", "is of type number", "a string"},
      {having("id", "\"plateau\""), " /components/0/id", "'plateau'", "a reverse address"},
      {having("id", "\"org..x\""), " /components/0/id", "'org..x'", "a reverse address"},
      {having("id", "\"org.example.X\""), " /components/0/id", "'org.example.X'", "small letters"},
      {having("id", "\"org.example.x\\u0000y\""), " /components/0/id", "NUL", "text"},
      {having("role", ""), " /components/0", "has no 'role'", "a string"},
      {having("role", "\"Call Back\""), " /components/0/role", "'Call Back'", "a role like"},
      {having("version", ""), " /components/0", "has no 'version'", "a string"},
      {having("version", "\"1.0\""), " /components/0/version", "'1.0'", "a version like"},
      {having("version", "\"1.0.0.\""), " /components/0/version", "'1.0.0.'", "a version like"},
      {having("summary", "\"\""), " /components/0/summary", "''", "one line"},
      {having("summary", "\"a\\nb\""), " /components/0/summary", "a.nb", "one line"},
      {with("\"option\": {}"), " /components/0", "unknown key 'option'", "one of id, role"},
      {R"({"components": [{"id": "a.b"}], "torch": 2})", " /components/0", "has no 'role'",
       "a string"},
      {with("\"options\": 3"), " /components/0/options", "is of type number", "a JSON Schema"},
      {with("\"options\": {\"properties\": {}}"), " /components/0/options",
       "a schema without \"type\"", "\"type\": \"object\""},
      {with("\"options\": {\"type\": \"array\"}"), " /components/0/options",
       "a schema of type \"array\"", "\"type\": \"object\""},
      {with("\"roles\": \"callback\""), " /components/0/roles", "is of type string",
       "an array of strings"},
      {with("\"roles\": [\"monitor\"]"), " /components/0/roles",
       "without the component's own role 'callback'", "a list that has it"},
      {with("\"roles\": [\"callback\", \"callback\"]"), " /components/0/roles", "'callback' twice",
       "each name once"},
      {with("\"requires_ext\": [\"metrics\"]"), " /components/0/requires_ext",
       "element 0 is 'metrics'", "an extension like"},
      {with("\"produces\": [\"{name\"]"), " /components/0/produces", "element 0 is '.name'",
       "a metric name"},
      {with("\"consumes\": [\"a\", 7]"), " /components/0/consumes/1", "is of type number",
       "a string"},
      {with("\"run_on\": \"everywhere\""), " /components/0/run_on", "'everywhere'",
       "\"chief\" or \"all\""},
      {with("\"needs\": [\"model\"]"), " /components/0/needs", "on a component of role 'callback'",
       "a component of role 'trainer'"},
      {with("\"evaluates\": \"yes\""), " /components/0/evaluates", "is of type string",
       "true or false"},
      {with("\"metric_prefix\": \"{prefix\""), " /components/0/metric_prefix", "'.prefix'",
       "the beginning of metric names"},
      {having("role", R"("inferencer", "metric_prefix": "{prefix?_}")"),
       " /components/0/metric_prefix", "on a component of role 'inferencer'",
       "a component of role 'callback'"},
      {having("role", R"("model", "triggers_at_end": "save")"), " /components/0/triggers_at_end",
       "on a component of role 'model'", "a component of role 'callback'"},
      {having("role", R"("model", "check_creates": 1)"), " /components/0/check_creates",
       "is of type number", "true or false"},
      {with("\"check_creates\": true"), " /components/0/check_creates",
       "on a component of role 'callback'", "a component of role 'model'"},
      {having("role", R"("trainer", "needs": ["models"])"), " /components/0/needs",
       "element 0 is 'models'", "\"model\" or \"input\""},
      {having("role", R"("trainer", "default_input": "queue")"), " /components/0/default_input",
       "'queue'", "the id of an input source"},
      {having("role", R"("dataflow", "reorders": true)"), " /components/0/reorders",
       "is of type boolean", "a string"},
      {having("role", R"("sink", "extensions": ["npz"])"), " /components/0/extensions",
       "element 0 is 'npz'", "the extension of a file"},
      {R"({"components": [{"id": "a.b", "role": "model", "version": "1.0.0", "summary": "A."},
          {"id": "a.b", "role": "model", "version": "1.0.0", "summary": "B."}]})",
       "", "component 'a.b' twice", "each id once"},
  };
  return texts;
}

}  // namespace

TEST_CASE("metadata: every bad text is refused with place, found, expected and next step") {
  CHECK(bad_texts().size() >= 25);
  for (const Bad& bad : bad_texts()) {
    CAPTURE(bad.text.substr(0, 200));
    support::check_diagnostic(support::failure([&bad] { parse(bad.text); }),
                              "x\\.so: metadata" + std::string(bad.place), bad.found, bad.expected);
  }
}

TEST_CASE("metadata: all members are read") {
  const Metadata metadata = parse(with(R"("options": {"type": "object", "properties": {}},
      "roles": ["dataflow", "callback"], "requires_ext": ["broch.metrics/1"],
      "produces": ["{name}_error", "cost"], "consumes": ["{monitor_stat}"], "run_on": "all",
      "x-icon": {"any": ["thing"]})"));
  REQUIRE(metadata.components.size() == 1);
  const Component& component = metadata.components[0];
  CHECK(component.id == "org.example.x");
  CHECK(component.role == "callback");
  CHECK(component.version == "1.0.0");
  CHECK(component.summary == "Does nothing.");
  CHECK(component.options == R"({"properties":{},"type":"object"})");
  CHECK(component.roles == std::vector<std::string>{"dataflow", "callback"});
  CHECK(component.requires_ext == std::vector<std::string>{"broch.metrics/1"});
  CHECK(component.produces == std::vector<std::string>{"{name}_error", "cost"});
  CHECK(component.consumes == std::vector<std::string>{"{monitor_stat}"});
  CHECK(component.run_on == RunOn::all);
  CHECK(component.unknown_roles.empty());
  CHECK(metadata.torch.empty());
}

TEST_CASE("metadata: what the host does with a component of one role") {
  const Component trainer = parse(having("role", R"("trainer", "needs": ["model", "input"],
          "default_input": "org.example.feed", "requires_input": "org.example.queue")"))
                                .components.at(0);
  CHECK(trainer.needs == std::vector<std::string>{"model", "input"});
  CHECK(trainer.default_input == "org.example.feed");
  CHECK(trainer.requires_input == "org.example.queue");
  CHECK(parse(with("\"evaluates\": true")).components.at(0).evaluates);
  CHECK(parse(with("\"metric_prefix\": \"{prefix?_}\"")).components.at(0).metric_prefix ==
        "{prefix?_}");
  CHECK(parse(with("\"triggers_at_end\": \"save\"")).components.at(0).triggers_at_end == "save");
  CHECK(parse(having("role", R"("model", "check_creates": true)")).components.at(0).check_creates);
  CHECK_FALSE(parse(having("role", R"("model")")).components.at(0).check_creates);
  CHECK(parse(having("role", R"("dataflow", "reorders": "source")")).components.at(0).reorders ==
        "source");
  CHECK(parse(having("role", R"("sink", "extensions": [".a", ".b.c"])"))
            .components.at(0)
            .extensions == std::vector<std::string>{".a", ".b.c"});
  CHECK(parse(having("role", R"("sink", "extensions": ["tcp://"])")).components[0].extensions ==
        std::vector<std::string>{"tcp://"});
  CHECK(parse(having("role", R"("input_source", "staged_by": "org.example.stage")"))
            .components.at(0)
            .staged_by == "org.example.stage");
}

TEST_CASE("metadata: what is left out has its default") {
  const Component component = parse(with("")).components.at(0);
  CHECK(component.options == R"({"additionalProperties":false,"type":"object"})");
  CHECK(parse(with("\"options\": {}")).components.at(0).options == component.options);
  CHECK(component.roles == std::vector<std::string>{"callback"});
  CHECK(component.run_on == RunOn::chief);
  CHECK(parse(having("role", "\"monitor\"")).components.at(0).run_on == RunOn::all);
}

TEST_CASE("metadata: a role of a newer host is kept and named, not an error") {
  const Component component = parse(having("role", "\"soothsayer\"")).components.at(0);
  CHECK(component.unknown_roles == std::vector<std::string>{"soothsayer"});
}

TEST_CASE("metadata: the LibTorch of a library is told") {
  std::string text = with("");
  text.insert(1, "\"torch\": \"2.11.0+cpu\", ");
  CHECK(parse(text).torch == "2.11.0+cpu");
}

TEST_CASE("metadata: the components of several texts are joined and their ids compared") {
  const std::string other = having("id", "\"org.example.y\"");
  CHECK(parse_metadata({with(""), other}, "x.so").components.size() == 2);
  support::check_diagnostic(support::failure([&other] {
                              parse_metadata({other, other}, "x.so");
                            }),
                            "x\\.so: metadata", "component 'org.example.y' twice", "each id once");
  support::check_diagnostic(support::failure([] { parse_metadata({}, "x.so"); }),
                            "x\\.so: metadata", "none", "section .broch.meta");
}

TEST_CASE("metadata: an id is a reverse address") {
  for (const char* id :
       {"digits.convnet", "org.example.stop-on-plateau", "broch.input_source.feed", "a.b2"})
    CHECK_MESSAGE(is_component_id(id), id);
  for (const char* id : {"", ".", "a", "a.", ".a", "a..b", "a.B", "a.2b", "a b.c", "a.b/c", "a.é"})
    CHECK_MESSAGE(!is_component_id(id), id);
  CHECK_FALSE(is_component_id("a." + std::string(127, 'b')));
  CHECK(is_component_id("a." + std::string(126, 'b')));
}

TEST_CASE("metadata: versions have three numbers and may have a suffix") {
  const auto text = [](const char* version) {
    std::string quoted = "\"";
    quoted += version;
    return having("version", quoted += '"');
  };
  for (const char* version : {"0.0.1", "10.20.30", "1.0.0-rc.1", "1.0.0+build.5"})
    CHECK_NOTHROW(parse(text(version)));
  for (const char* version :
       {"", "1", "1.0.", "1.0.0.0", "v1.0.0", "1.0.0-", "1.0.0-a b", "1.0.0.-a"})
    CHECK_THROWS_AS(parse(text(version)), broch::base::Error);
}

TEST_CASE("metadata: an unknown key names the nearest known one") {
  support::check_diagnostic(support::failure([] { parse(with("\"option\": {}")); }),
                            "x\\.so: metadata /components/0", "unknown key 'option'",
                            "one of id, role, version", "did you mean 'options'\\?");
}
