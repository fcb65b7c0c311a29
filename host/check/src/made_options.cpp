// made_options.cpp: makes values from a schema: the simplest one, random ones, invalid ones.
#include "made_options.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "manifest/defaults.hpp"
#include "manifest/merge.hpp"
#include "plugins/file.hpp"
#include "value/json.hpp"
#include "value/schema_words.hpp"
#include "verdict.hpp"
#include "world.hpp"

namespace broch::check {
namespace {

using manifest::Value;
using Kind = Value::Kind;

constexpr int kTries = 50;    // until random options pass the check
constexpr int kMaxDepth = 6;  // for nested components
constexpr size_t kLongList = 5;

// A child that works with the model and the data of a drive; null: a role that has none.
Value child_of(const std::string& role) {
  const Value* entry = manifest::find_at(manifest::defaults(), "/check/" + role);
  return entry == nullptr ? Value() : *entry;
}

class Maker {
 public:
  // Without a random generator, makes the simplest value.
  explicit Maker(std::mt19937_64* random) : random_(random) {}

  // schema: the whole one.
  Value make(const Value& schema) {
    root_ = &schema;
    return make(schema, 0);
  }

 private:
  Value make(const Value& given, int depth) {
    if (depth > kMaxDepth) return {};
    const Value& schema = value::referred(given, *root_);
    if (const Value* role = schema.find("x-broch-component")) return child_of(role->string());
    if (schema.find("x-broch-function")) return function();
    if (const Value* only = schema.find("const")) return *only;
    if (const Value* initial = schema.find("default"); initial && !chance(70)) return *initial;
    if (const Value* words = schema.find("enum")) return one_of(words->array());
    for (const char* choice : {"oneOf", "anyOf"})
      if (const Value* schemas = schema.find(choice))
        return make(one_of(schemas->array()), depth + 1);
    return of_type(type_of(schema), schema, depth);
  }

  bool chance(unsigned percent) { return random_ && (*random_)() % 100 < percent; }

  template <class List>
  typename List::value_type one_of(const List& list) {
    if (list.empty()) return {};
    return list[random_ ? (*random_)() % list.size() : 0];
  }

  std::string type_of(const Value& schema) {
    const Value* type = schema.find("type");
    if (!type) return schema.find("properties") ? "object" : "null";
    if (type->is(Kind::string)) return type->string();
    const Value chosen = one_of(type->array());
    return chosen.is(Kind::string) ? chosen.string() : "null";
  }

  Value function() {
    static const std::vector<std::string> texts = {"value",
                                                   "0.5",
                                                   "value * 0.9",
                                                   "epoch_num > 1 ? 0.1 : 0.2",
                                                   "stat(\"no-such\")",
                                                   "log(0)",
                                                   "1 / (epoch_num - 1)",
                                                   "stop()"};
    return Value(one_of(texts));
  }

  Value of_type(const std::string& type, const Value& schema, int depth) {
    if (type == "boolean") return Value(chance(50));
    if (type == "integer") return integer(schema);
    if (type == "number") return number(schema);
    if (type == "string") return string(schema);
    if (type == "array") return list(schema, depth);
    if (type == "object") return object(schema, depth);
    return {};
  }

  static std::optional<double> limit(const Value& schema, const char* word) {
    const Value* value = schema.find(word);
    return value && value->is_number() ? std::optional(value->number()) : std::nullopt;
  }

  static bool fits(const Value& schema, double value) {
    const auto low = limit(schema, "minimum"), high = limit(schema, "maximum");
    const auto above = limit(schema, "exclusiveMinimum"), below = limit(schema, "exclusiveMaximum");
    return !(low && value < *low) && !(high && value > *high) && !(above && value <= *above) &&
           !(below && value >= *below);
  }

  Value integer(const Value& schema) {
    std::vector<int64_t> candidates;
    if (random_)
      candidates = {0,         1,         2,      7,         64,
                    -1,        1000,      65537,  INT32_MAX, int64_t{1} << 32,
                    INT64_MAX, INT64_MIN, 100000, -7,        int64_t{1} << 53};
    else
      candidates = {1, 2, 0, -1};
    for (const char* word : {"minimum", "maximum"})
      if (const auto end = limit(schema, word)) candidates.push_back(int64_t(*end));
    for (const char* word : {"exclusiveMinimum", "exclusiveMaximum"})
      if (const auto end = limit(schema, word))
        for (const int64_t by : {-1, 1}) candidates.push_back(int64_t(*end) + by);
    std::erase_if(candidates, [&](int64_t candidate) { return !fits(schema, double(candidate)); });
    return candidates.empty() ? Value(int64_t{1}) : Value(one_of(candidates));
  }

  Value number(const Value& schema) {
    std::vector<double> candidates;
    if (random_)
      candidates = {0, 1, 0.5, -1, 1e-3, 1e-300, 5e-324, 1e300, -1e300, 0.999999, 3, 1e9};
    else
      candidates = {0.5, 1, 2, 0};
    for (const char* word : {"minimum", "maximum"})
      if (const auto end = limit(schema, word)) candidates.push_back(*end);
    for (const char* word : {"exclusiveMinimum", "exclusiveMaximum"})
      if (const auto end = limit(schema, word))
        for (const double to :
             {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()})
          candidates.push_back(std::nextafter(*end, to));
    std::erase_if(candidates, [&](double candidate) { return !fits(schema, candidate); });
    return Value(candidates.empty() ? 1.0 : one_of(candidates));
  }

  // The first names exist in the runs of Drive. No text is a path that leaves the working
  // directory.
  Value string(const Value& schema) {
    static const std::vector<std::string> texts = {"scalar0",
                                                   "W",
                                                   "cost",
                                                   "",
                                                   "a",
                                                   "two words",
                                                   "a/b/c",
                                                   "1",
                                                   "cpu:0",
                                                   "{\"}",
                                                   "%s%n%d",
                                                   "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80",
                                                   std::string(300, 'x'),
                                                   std::string(4000, 'y'),
                                                   "line\nline\ttab",
                                                   "(((("};
    std::string text = one_of(texts);
    if (const auto least = limit(schema, "minLength"); least && double(text.size()) < *least)
      text.resize(size_t(*least), 'x');
    if (const auto most = limit(schema, "maxLength"); most && double(text.size()) > *most)
      text = std::string(size_t(*most), 'x');
    return Value(text);
  }

  Value list(const Value& schema, int depth) {
    const auto least = size_t(limit(schema, "minItems").value_or(0));
    size_t count = least;
    if (random_) count = chance(5) ? 100 : least + (*random_)() % kLongList;
    if (const auto most = limit(schema, "maxItems")) count = std::min(count, size_t(*most));
    const Value* items = schema.find("items");
    Value::Array elements;
    for (size_t i = 0; i < count; ++i)
      elements.push_back(items ? make(*items, depth + 1) : Value(int64_t{1}));
    return Value(std::move(elements));
  }

  Value object(const Value& schema, int depth) {
    Value result{Value::Object{}};
    std::vector<std::string> required;
    if (const Value* names = schema.find("required"))
      for (const Value& name : names->array()) required.push_back(name.string());
    if (const Value* properties = schema.find("properties"))
      for (const manifest::Member& property : properties->object()) {
        const bool must =
            std::find(required.begin(), required.end(), property.key) != required.end();
        if (must || chance(60)) result.set(property.key, make(property.value, depth + 1));
      }
    return result;
  }

  std::mt19937_64* random_;
  const Value* root_ = nullptr;
};

bool fits(Subject& subject, const Value& options) {
  try {
    entry_of(subject, options);
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

// A value whose type the schema does not allow, or null if none is known.
Value of_wrong_kind(const Value& schema) {
  if (const Value* words = schema.find("enum"); words && !schema.find("type"))
    return Value(std::string("no-such-word"));
  const Value* type = schema.find("type");
  if (!type || !type->is(Kind::string)) return {};
  return type->string() == "string" ? Value(int64_t{7}) : Value(std::string("a word"));
}

void add_out_of_range(const Value& schema, const std::string& key, const Value& plain,
                      std::vector<Invalid>& list) {
  for (const auto& [word, by] : {std::pair{"minimum", -1}, std::pair{"maximum", 1}}) {
    const Value* end = schema.find(word);
    if (!end || !end->is(Kind::integer)) continue;
    if (end->integer() == INT64_MIN || end->integer() == INT64_MAX) continue;
    Value options = plain;
    options.set(key, Value(end->integer() + by));
    list.push_back({"/" + key + " beyond its " + word, std::move(options)});
  }
}

}  // namespace

namespace {

// Puts given options over generated ones. Relative paths are resolved.
Value options_over(Subject& subject, const Value& made, const std::string& given) {
  const auto source = std::make_shared<const manifest::Source>(
      manifest::Source{"--with " + subject.id(), subject.options().folder, given});
  const Value upper = manifest::parse(source);
  if (!upper.is(Kind::object))
    throw base::Error(base::Exit::usage, {source->name, "no object", "{\"option\": value}", ""});
  return entry_of(subject, manifest::merged(made, upper)).with();
}

}  // namespace

Value usual_options(Subject& subject) {
  const Value made = Maker(nullptr).make(subject.schema());
  const auto given = subject.options().with.find(subject.id());
  try {
    if (given != subject.options().with.end()) return options_over(subject, made, given->second);
    entry_of(subject, made);
    return made;
  } catch (const plugins::TooManyFiles&) {
    throw;
  } catch (const base::Error& error) {
    throw Skipped("no options: " + std::string(error.what()));
  }
}

std::optional<Value> random_options(Subject& subject, int number) {
  std::mt19937_64 random(base::hash64(subject.id(), subject.options().seed) + uint64_t(number));
  Maker maker(&random);
  const Value schema = subject.schema();
  for (int i = 0; i < kTries; ++i)
    if (Value options = maker.make(schema); fits(subject, options)) return options;
  return std::nullopt;
}

std::vector<Invalid> invalid_options(Subject& subject) {
  std::vector<Invalid> list;
  const Value plain = usual_options(subject);
  const Value schema = subject.schema();
  const Value* more = schema.find("additionalProperties");
  if (!more || (more->is(Kind::boolean) && !more->boolean())) {
    Value options = plain;
    options.set("no-such-option", Value(int64_t{1}));
    list.push_back({"an unknown option", std::move(options)});
  }
  if (const Value* names = schema.find("required"))
    for (const Value& name : names->array()) {
      Value options = plain;
      options.remove(name.string());
      list.push_back({"without /" + name.string(), std::move(options)});
    }
  if (const Value* properties = schema.find("properties"))
    for (const manifest::Member& property : properties->object()) {
      if (property.value.find("x-broch-component") || property.value.find("x-broch-function"))
        continue;
      if (const Value wrong = of_wrong_kind(property.value); !wrong.is_null()) {
        Value options = plain;
        options.set(property.key, wrong);
        list.push_back({"/" + property.key + " of a wrong kind", std::move(options)});
      }
      add_out_of_range(property.value, property.key, plain, list);
    }
  return list;
}

}  // namespace broch::check
