// control_request.hpp: what can be asked of a running training, as a line of text.
//
//   status             how far it is
//   stop               end after this step, saved, as the first signal does
//   save               a checkpoint after this step
//   set NAME=VALUE     a hyper-parameter or an option (changes.hpp), from the next step on
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace broch::session {

struct ControlRequest {
  enum class What { status, stop, save, set };
  What what = What::status;
  std::string name, value;  // to set, as text
};

inline constexpr size_t kMaxControlRequest = 1024;  // bytes, with the newline

// line: without the newline. Throws base::Error (usage).
ControlRequest parse_control_request(std::string_view line);

}  // namespace broch::session
