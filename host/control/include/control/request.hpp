// request.hpp: the requests that a run accepts, as lines of text.
//
//   status             the progress of the run
//   stop               save and end after this step, as the first signal does
//   save               save a checkpoint after this step
//   set NAME=VALUE     change a hyper-parameter or an option (changes.hpp) from the next step on
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace broch::control {

struct Request {
  enum class What { status, stop, save, set };
  What what = What::status;
  std::string name, value;  // for set, as text
};

inline constexpr size_t kMaxRequest = 1024;  // bytes, including the newline

// Thrown when a request is refused and nothing has changed. Any other error ends the run.
class Refused : public base::Error {
 public:
  using Error::Error;
};

// line: without its newline. Throws base::Error (usage).
Request parse_request(std::string_view line);

}  // namespace broch::control
