// options_tests.cpp: tests of invalid, random and changed options.
#include "abi/roles/options.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "drive.hpp"
#include "made_options.hpp"
#include "tests.hpp"
#include "value/json.hpp"
#include "value/schema.hpp"
#include "verdict.hpp"
#include "world.hpp"

namespace broch::check {
namespace {

using value::Value;

std::string test_invalid_options(Subject& subject) {
  const std::vector<Invalid> list = invalid_options(subject);
  for (const Invalid& invalid : list) {
    bool refused = false;
    try {
      entry_of(subject, invalid.options);
    } catch (const base::Error&) {
      refused = true;
    }
    if (!refused)
      throw Failed("its schema lets " + invalid.what +
                   " through: " + value::to_text(invalid.options));
  }
  return std::to_string(list.size()) + " refused";
}

std::string test_made_options(Subject& subject) {
  subject.library();
  World world(subject);
  int made = 0, taken = 0;
  for (int i = 0; i < subject.options().configurations; ++i) {
    const auto options = random_options(subject, i);
    if (!options) continue;
    ++made;
    // Logged first, so that it is in the output if the process crashes.
    const std::string text = value::to_text(*options);
    base::info("number " + std::to_string(i) + ": " + text);
    try {
      world.make(entry_of(subject, *options));
      ++taken;
    } catch (const base::Error&) {
    }
    try {
      subject.watch().require_answers();
    } catch (const Failed& failed) {
      throw Failed(std::string(failed.what()) + "\n  with " + text + " (seed " +
                   std::to_string(subject.options().seed) + ", number " + std::to_string(i) + ")");
    }
  }
  if (made == 0) throw Skipped("no options that fit the schema were found by chance");
  return std::to_string(taken) + " of " + std::to_string(made) + " accepted, seed " +
         std::to_string(subject.options().seed);
}

void require_taken(abi::Instance& instance, const Value& options, const std::string& pointer) {
  try {
    abi::change_options(instance, options, {pointer});
  } catch (const base::Error& error) {
    throw Failed("after it refused a value, it also refuses its current one: " +
                 std::string(error.what()));
  }
}

// Changes options where a run would change them: after setup, between steps. Then the run continues
// with the accepted ones.
std::string test_changed_options(Subject& subject) {
  const std::vector<std::string> pointers = value::mutable_options(subject.schema());
  if (pointers.empty()) throw Skipped("no option can be changed");
  int set = 0, taken = 0;
  const auto change = [&](abi::Instance& instance) {
    for (int i = 0; i < subject.options().configurations; ++i) {
      const std::string& pointer = pointers[size_t(i) % pointers.size()];
      const auto drawn = random_options(subject, i);
      const Value* const value = drawn ? value::find_at(*drawn, pointer) : nullptr;
      if (!value) continue;
      const Value before = instance.options_tree();
      Value options = before;
      value::set_at(options, pointer, *value);
      base::info(pointer + " becomes " + value::to_text(*value));
      ++set;
      try {
        abi::change_options(instance, entry_of(subject, options).with(), {pointer});
        ++taken;
      } catch (const base::Error&) {
        subject.watch().require_answers();
        // A refused value must leave nothing changed, so the component must accept its current
        // options.
        if (instance.options_tree() == before) require_taken(instance, before, pointer);
      }
      subject.watch().require_answers();
    }
  };
  How how;
  how.meanwhile = change;
  drive_once(subject, how);
  if (set == 0) throw Skipped("no values that fit the schema were found by chance");
  return std::to_string(taken) + " of " + std::to_string(set) + " taken";
}

}  // namespace

std::vector<Test> options_tests() {
  return {
      {"invalid-options", "the schema refuses options of a wrong kind", Stage::component,
       &test_invalid_options, true},
      {"made-options", "accepts or refuses all options that fit the schema", Stage::component,
       &test_made_options, true},
      {"changed-options", "accepts or refuses other values of options that can be changed",
       Stage::component, &test_changed_options, true},
  };
}

}  // namespace broch::check
