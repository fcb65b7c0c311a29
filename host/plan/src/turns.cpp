// turns.cpp: compares the runs of nodes, whatever their periods.
#include "plan/turns.hpp"

#include <algorithm>
#include <numeric>

#include "base/text.hpp"

namespace broch::plan {

bool Turns::include(uint64_t run) const {
  return std::ranges::find(offsets, static_cast<uint32_t>(run % every)) != offsets.end();
}

// The inner loop is short even if the common period is long: within it, each run that the others
// have is at another of their offsets.
std::optional<uint64_t> Turns::first_outside(const Turns& others) const {
  const uint64_t period = std::lcm(uint64_t{every}, uint64_t{others.every});
  std::optional<uint64_t> first;
  for (const uint32_t offset : offsets) {
    uint64_t run = offset;
    while (run < period && others.include(run)) run += every;
    if (run < period) first = std::min(first.value_or(run), run);
  }
  return first;
}

// Two runs at these offsets are the same one some time, if the offsets agree modulo the divisor.
bool Turns::meet(const Turns& others) const {
  const uint32_t divisor = std::gcd(every, others.every);
  return std::ranges::any_of(offsets, [&](uint32_t mine) {
    return std::ranges::any_of(others.offsets,
                               [&](uint32_t theirs) { return mine % divisor == theirs % divisor; });
  });
}

std::string Turns::text() const {
  if (all()) return "all runs";
  constexpr size_t kShown = 4;
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(offsets.size(), kShown); ++i)
    shown.push_back(std::to_string(offsets[i]));
  if (offsets.size() > kShown) shown.emplace_back("…");
  return (offsets.size() > 1 ? "runs " : "run ") + base::join(shown, ", ") + " of every " +
         std::to_string(every);
}

}  // namespace broch::plan
