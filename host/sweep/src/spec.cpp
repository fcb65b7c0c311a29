// spec.cpp: from the text of a SWEEP.json to a checked Spec.
#include "sweep/spec.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/text.hpp"
#include "embedded.hpp"
#include "value/json.hpp"
#include "value/paths.hpp"
#include "value/schema.hpp"

namespace broch::sweep {
namespace {

constexpr const char* kOwner = "a sweep";
constexpr double kMostExact = 9007199254740992;  // 2^53: doubles are exact up to here

struct KindName {
  const char* name;
  Parameter::Kind kind;
};
constexpr KindName kKinds[] = {{"values", Parameter::Kind::values},
                               {"uniform", Parameter::Kind::uniform},
                               {"log_uniform", Parameter::Kind::log_uniform},
                               {"integers", Parameter::Kind::integers}};

// Overrides that would lead a trial out of the folder of the sweep.
constexpr const char* kOwnKeys[] = {"log_dir", "log_dir_action", "resume"};

const Value& schema() {
  static const Value parsed = value::parse_text("schema of a sweep", kSweepSchema);
  return parsed;
}

std::vector<std::string> strings(const Value& list) {
  std::vector<std::string> all;
  for (const Value& one : list.array()) all.push_back(one.string());
  return all;
}

class Reader {
 public:
  explicit Reader(Spec& spec) : spec_(spec), value_(spec.value) {}

  void read() {
    spec_.manifest = at("manifest").string();
    spec_.overrides = strings(at("overrides"));
    spec_.metric = at("metric").string();
    spec_.smallest_is_best = at("goal").string() == "min";
    spec_.best_counts = at("value").string() == "best";
    own_keys();
    parameters();
    method();
    devices();
    halving();
    folder();
    faults_.raise();
  }

 private:
  const Value& at(const char* key) const { return *value_.find(key); }

  void refuse(const Value& value, const std::string& pointer, const value::Remark& remark) {
    faults_.add(value.origin(), pointer, remark);
  }

  void own_keys() {
    for (size_t i = 0; i < spec_.overrides.size(); ++i) {
      const std::string& text = spec_.overrides[i];
      const std::string word = text.substr(text.find_first_not_of("~+") == 1 ? 1 : 0);
      refuse_own_key(word.substr(0, word.find_first_of("=.[")), at("overrides").array()[i],
                     value::child_pointer("/overrides", i));
    }
  }

  void refuse_own_key(const std::string& key, const Value& value, const std::string& pointer) {
    if (std::ranges::find(kOwnKeys, key) != std::end(kOwnKeys))
      refuse(value, pointer,
             {key, "another key", "each trial has a log folder inside \"folder\" of the sweep"});
  }

  void parameters() {
    const Value& all = at("parameters");
    if (all.object().empty())
      refuse(all, "/parameters", {"no parameter", "at least one", "name what the trials vary"});
    for (const value::Member& member : all.object()) parameter(member);
  }

  void parameter(const value::Member& member) {
    const std::string pointer = value::child_pointer("/parameters", member.key);
    const size_t before = member.key.find_first_of("~+=");
    if (member.key.empty() || before == 0 || member.key.find('=') != std::string::npos)
      refuse(member.value, pointer,
             {base::quoted(member.key), "the path of an override without ~, + and =",
              "for example optimizer.with.learning_rate"});
    refuse_own_key(member.key.substr(0, member.key.find_first_of(".[")), member.value, pointer);
    Parameter parameter{member.key, member.value.origin()};
    const Value* given = nullptr;
    for (const auto& [name, kind] : kKinds)
      if (const Value* one = member.value.find(name)) {
        if (given) {
          refuse(member.value, pointer,
                 {"two ways to choose a value", "one of values, uniform, log_uniform, integers",
                  "remove the others"});
          return;
        }
        given = one;
        parameter.kind = kind;
      }
    if (!given) {
      refuse(member.value, pointer,
             {"no values", "one of values, uniform, log_uniform, integers",
              "for example {\"values\": [1, 2]}"});
      return;
    }
    values(parameter, *given, pointer);
    if (const Value* steps = member.value.find("steps")) {
      parameter.steps = steps->integer();
      if (!parameter.is_number())
        refuse(*steps, pointer + "/steps",
               {"steps beside values", "steps of a range", "remove it"});
    }
    spec_.parameters.push_back(std::move(parameter));
  }

  void values(Parameter& parameter, const Value& given, const std::string& pointer) {
    if (!parameter.is_number()) {
      parameter.values = given.array();
      return;
    }
    parameter.low = given.array()[0].number();
    parameter.high = given.array()[1].number();
    const std::string both =
        base::shortest(parameter.low) + " and " + base::shortest(parameter.high);
    if (!(parameter.low < parameter.high))
      refuse(given, pointer,
             {both, "two numbers, the smaller one first",
              "exchange them, or write {\"values\": [x]}"});
    else if (!std::isfinite(parameter.high - parameter.low))
      refuse(given, pointer,
             {both, "a difference that a double can hold", "write a smaller range"});
    if (parameter.kind == Parameter::Kind::integers &&
        std::max(std::fabs(parameter.low), std::fabs(parameter.high)) > kMostExact)
      refuse(given, pointer, {both, "integers of at most 53 bits", "write a smaller range"});
  }

  void method() {
    const Value& method = at("method");
    if (method.is(Value::Kind::string)) return;
    const Value *random = method.find("random"), *command = method.find("command");
    if (!random == !command) {
      refuse(method, "/method",
             {random ? "random and command" : "neither random nor command", "one of them",
              "for example {\"random\": {\"trials\": 20}}"});
      return;
    }
    for (const char* key : {"trials", "timeout"})
      if (const Value* value = method.find(key); value && random)
        refuse(*value, std::string("/method/") + key,
               {std::string(key) + " beside random", "it beside command",
                "the number of trials belongs inside of random"});
    if (random) {
      spec_.method.kind = Method::Kind::random;
      spec_.method.trials = random->find("trials")->integer();
      spec_.method.seed = uint64_t(random->find("seed")->integer());
      return;
    }
    spec_.method.kind = Method::Kind::command;
    spec_.method.command = strings(*command);
    if (const Value* trials = method.find("trials")) spec_.method.trials = trials->integer();
    if (const Value* timeout = method.find("timeout")) spec_.method.timeout = timeout->number();
  }

  void devices() {
    if (const Value* devices = value_.find("devices"))
      for (const Value& device : devices->array()) {
        const std::string number = device.string().substr(device.string().find(':') + 1);
        std::from_chars(number.data(), number.data() + number.size(), spec_.devices.emplace_back());
      }
    const Value& parallel = at("parallel");
    spec_.parallel = parallel.is_null() ? std::max<int64_t>(1, int64_t(spec_.devices.size()))
                                        : parallel.integer();
  }

  void halving() {
    const Value* given = value_.find("halving");
    if (!given) return;
    const Value *every = given->find("every_epochs"), *rungs = given->find("rungs");
    if (!every == !rungs) {
      refuse(*given, "/halving",
             {every ? "every_epochs and rungs" : "neither every_epochs nor rungs", "one of them",
              "for example \"every_epochs\": 5"});
      return;
    }
    if (spec_.method.kind == Method::Kind::command)
      refuse(*given, "/halving",
             {"halving together with a command", "one of them",
              "the program can end trials by itself: docs/sweep_protocol.md"});
    Halving& halving = spec_.halving.emplace();
    halving.keep = given->find("keep")->number();
    if (every) halving.every_epochs = every->integer();
    if (!rungs) return;
    for (const Value& rung : rungs->array()) halving.rungs.push_back(rung.integer());
    if (std::ranges::adjacent_find(halving.rungs, std::greater_equal<>()) != halving.rungs.end())
      refuse(*rungs, "/halving/rungs", {"epochs that do not ascend", "ascending ones", ""});
  }

  void folder() {
    const Value* given = value_.find("folder");
    const std::string name = std::filesystem::path(spec_.file).stem().string();
    spec_.folder =
        value::absolute(given ? *given : Value("sweep_log/" + name), value::working_directory())
            .string();
  }

  Spec& spec_;
  const Value& value_;
  value::Faults faults_;
};

}  // namespace

bool Spec::better(double a, double b) const {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
  return smallest_is_best ? a < b : a > b;
}

Spec read_spec(const std::string& file) {
  const auto source = value::read_source(file);
  const Value parsed = value::parse(source);
  value::Faults faults;
  Spec spec;
  spec.value = value::check_value(parsed, schema(), kOwner, "", faults).value;
  faults.raise();
  spec.file = file;
  spec.directory = source->folder;
  Reader(spec).read();
  return spec;
}

}  // namespace broch::sweep
