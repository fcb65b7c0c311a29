// names.cpp: finds inputs and outputs by name, each once.
#include "names.hpp"

#include "base/text.hpp"
#include "boundary.hpp"

namespace broch::lib {

size_t Names::place_of(size_t number) {
  const char* const name = names_ ? names_[number] : nullptr;
  if (!name)
    refuse(std::string(what_) + " number " + std::to_string(number), "no name", "one of the model");
  for (size_t i = 0; i < ports_.size(); ++i) {
    if (ports_[i].name != name) continue;
    if (taken_[i]) refuse_twice(name);
    taken_[i] = true;
    return i;
  }
  refuse_unknown(number);
}

// Where as many names are given as there are ports, another one is missing.
void Names::refuse_twice(const char* name) const {
  std::string text = std::string(what_) + " " + base::quoted(name) + " is given twice";
  if (count_ == ports_.size())
    for (const libbroch_port& port : ports_)
      if (!contain(port.name)) text += "; " + base::quoted(port.name) + " is missing";
  throw Failure(LIBBROCH_INVALID, text);
}

void Names::refuse_unknown(size_t number) const {
  std::vector<std::string> known;
  for (const libbroch_port& port : ports_) known.push_back(port.name);
  const bool is_output = std::string_view(what_) == "output";
  refuse(std::string(what_) + " number " + std::to_string(number),
         "the name " + base::quoted(names_[number]), "one of " + base::join(known, ", "),
         is_output ? "broch export --name NAME writes a bundle with other outputs" : "");
}

bool Names::contain(const std::string& name) const {
  for (size_t i = 0; i < count_; ++i)
    if (names_[i] && name == names_[i]) return true;
  return false;
}

}  // namespace broch::lib
