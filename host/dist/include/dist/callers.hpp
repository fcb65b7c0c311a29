// callers.hpp: a meeting of the ranks before a call that callbacks of all ranks make together. A
// rank may leave the event without the call. It then comes to Group::any, by which the ranks end
// each event.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dist/group.hpp"

namespace broch::dist {

// What ranks send there, besides the 0 and 1 of Group::any.
constexpr std::byte kCalls{2};  // this rank is about to make the call; or all are
constexpr std::byte kLeft{3};   // a rank has left the event early: its any() says true
constexpr std::byte kNever{4};  // a rank makes no such call, and its any() says false
constexpr std::byte kAgain{5};  // to a rank in any(), which another has yet to come to: ask again

struct Callers {
  bool all = true;       // each rank is about to make the call
  bool left = false;     // a rank has left the event early. REQUIRES: this one calls any(true) next
  uint32_t missing = 0;  // a rank that makes no such call; 0: it is not known which
};

// Waits without a limit until each rank has called it, or any().
Callers await_callers(Group& group);

}  // namespace broch::dist
