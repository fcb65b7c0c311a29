// options_tests.cpp: what the schema keeps out, and what it lets in.
#include "abi/roles/options.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "made_options.hpp"
#include "manifest/json.hpp"
#include "manifest/schema.hpp"
#include "tests.hpp"
#include "verdict.hpp"
#include "world.hpp"

namespace broch::check {

using manifest::Value;

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
                   " through: " + manifest::to_text(invalid.options));
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
    // Stands in the output when the process does not live to tell.
    const std::string text = manifest::to_text(*options);
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
  return std::to_string(taken) + " of " + std::to_string(made) + " taken, seed " +
         std::to_string(subject.options().seed);
}

std::string test_changed_options(Subject& subject) {
  subject.library();
  World world(subject);
  const manifest::Component usual = entry_of(subject, usual_options(subject));
  const std::vector<std::string> pointers = manifest::mutable_options(subject.schema());
  if (pointers.empty()) throw Skipped("none may change");
  const auto made = world.make(usual);
  int set = 0, taken = 0;
  for (int i = 0; i < subject.options().configurations; ++i) {
    const auto drawn = random_options(subject, i);
    const Value* const value =
        drawn ? manifest::find_at(*drawn, pointers[size_t(i) % pointers.size()]) : nullptr;
    if (!value) continue;
    const std::string& pointer = pointers[size_t(i) % pointers.size()];
    Value options = manifest::parse_text(subject.id(), made->instance->options_text());
    manifest::set_at(options, pointer, *value);
    base::info(pointer + " becomes " + manifest::to_text(*value));
    ++set;
    try {
      options = entry_of(subject, options).with();
      abi::change_options(*made->instance, manifest::to_text(options), pointer);
      ++taken;
    } catch (const base::Error&) {
    }
    subject.watch().require_answers();
  }
  if (set == 0) throw Skipped("no values that fit the schema were found by chance");
  return std::to_string(taken) + " of " + std::to_string(set) + " taken";
}

}  // namespace broch::check
