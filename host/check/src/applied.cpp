// applied.cpp: one call of a transform.
#include "applied.hpp"

#include "base/error.hpp"
#include "drive.hpp"

namespace broch::check {

Applied apply(abi::Transform& transform, const MadePoint& made, uint64_t key) {
  runtime::Point in = made.make(key), out;
  const runtime::LentPoint lent_in(in), lent_out(out);
  try {
    transform.apply(key, lent_in.handle(), lent_out.handle());
  } catch (const base::Error& error) {
    return {.refused = true, .words = error.what()};
  }
  if (!(transform.flags() & BROCH_TRANSFORM_MANY)) return {.words = words_of(out)};
  std::string all = std::to_string(out.emitted.size()) + " points";
  for (const runtime::Point& point : out.emitted) all += "; " + words_of(point);
  return {.words = all};
}

}  // namespace broch::check
