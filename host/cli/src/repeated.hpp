// repeated.hpp: values that an option must not have twice.
#pragma once
#include <string>
#include <vector>

namespace broch::cli {

// Throws base::Error (usage) that names the value.
void refuse_repeated(const std::string& option, std::vector<std::string> values);

}  // namespace broch::cli
