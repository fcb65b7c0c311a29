// tensors.hpp: the parameters, buffers and constants of a program, as variables and constants.
#pragma once
#include <broch/broch.hpp>
#include <map>
#include <string>
#include <vector>

#include "models/exported/archive.hpp"
#include "models/exported/executable.hpp"

namespace exported {

class Tensors {
 public:
  // Variables of one call of the tower function, by name.
  using Made = std::map<std::string, broch::Variable>;

  // Borrows all. freeze: regular expressions for whole names. Throws broch::Error.
  Tensors(const broch::Host& host, const Archive& archive, const Executable& executable,
          const std::vector<std::string>& freeze);

  // The value of an input of the program that is no input of the model; an empty one if it is of a
  // type that models do not have, and not used.
  broch::Tensor value(broch::Tower& t, size_t input, Made& made) const;
  // Writes buffers that the program has changed in place (values, by input), and those that it
  // returns new values of (results, by output).
  void update(broch::Tower& t, const std::vector<broch_tensor>& values,
              const std::vector<broch_value>& results, const Made& made) const;

 private:
  struct Kept {
    const Stored* stored = nullptr;   // null: there is no value
    std::vector<std::byte> elements;  // of a constant
    std::string name;                 // of tied parameters that of the first
    bool is_variable = false;
    uint32_t flags = 0;
  };

  void find_all();
  void freeze_those(const std::vector<std::string>& patterns);
  bool is_returned(const std::string& buffer) const;
  bool exists(const broch::Tower& t, const std::string& name) const;
  broch::Variable variable(broch::Tower& t, const Kept& kept) const;

  const broch::Host host_;
  const broch_host_variables* const variables_;
  const Archive& archive_;
  const Program& program_;
  const Executable& executable_;
  std::vector<Kept> kept_;  // by input of the program
};

}  // namespace exported
