// control_request.hpp: the requests that a run accepts, as lines of text.
//
//   status             the progress of the run
//   stop               save and end after this step, as the first signal does
//   save               save a checkpoint after this step
//   set NAME=VALUE     change a hyper-parameter or an option (changes.hpp) from the next step on
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace broch::session {

struct ControlRequest {
  enum class What { status, stop, save, set };
  What what = What::status;
  std::string name, value;  // for set, as text
};

inline constexpr size_t kMaxControlRequest = 1024;  // bytes, including the newline

// line: without its newline. Throws base::Error (usage).
ControlRequest parse_control_request(std::string_view line);

}  // namespace broch::session
