// abort.cpp: the environment variable BROCH_ABORT_ON_ERROR.
#include "abort.hpp"

#include <cstdlib>
#include <string_view>

#include "base/log.hpp"

namespace broch::abi {

void abort_if_asked(const std::string& why) {
  const char* asked = std::getenv("BROCH_ABORT_ON_ERROR");
  if (!asked || !*asked || std::string_view(asked) == "0") return;
  base::error(why + "; aborting, as BROCH_ABORT_ON_ERROR asks for");
  std::abort();
}

}  // namespace broch::abi
