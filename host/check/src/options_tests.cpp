// options_tests.cpp: what the schema keeps out, and what it lets in.
#include "base/error.hpp"
#include "base/log.hpp"
#include "made_options.hpp"
#include "manifest/json.hpp"
#include "tests.hpp"
#include "verdict.hpp"
#include "world.hpp"

namespace broch::check {

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

}  // namespace broch::check
