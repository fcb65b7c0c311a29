// usual_options.hpp: options with which the built-in components do their work, and the files that
// these name.
#pragma once
#include "program.hpp"
#include "support/folder.hpp"

namespace broch::plugin_check_test {

class UsualOptions {
 public:
  // Writes the files.
  UsualOptions();
  // "--with", "ID={…}" for each component.
  Words words() const;

 private:
  broch::test::Folder folder_;
};

}  // namespace broch::plugin_check_test
