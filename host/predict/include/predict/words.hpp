// words.hpp: names and sizes as the command line has them.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace broch::predict {

// Throws base::Error (usage) if one of the values of this option is there twice.
void refuse_repeated(const std::string& option, std::vector<std::string> values);
// Of texts such as "T=64", by name. Throws base::Error (usage).
std::map<std::string, int64_t> sizes_of(const std::vector<std::string>& texts);

}  // namespace broch::predict
