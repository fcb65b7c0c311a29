// environment.hpp: what belongs to the whole process and a plugin must leave as it was.
#pragma once
#include <locale.h>
#include <signal.h>

#include <string>

namespace broch::abi {

class Instance;

// Working directory, locale and signal mask as they are when it is made. Compared after create,
// setup_graph, before_train and each epoch: per call it would cost some 50 microseconds.
class Environment {
 public:
  Environment();
  // Throws base::Error (training) naming the instance when something changed, after restoring it.
  void check(Instance& instance, const char* hook);

 private:
  std::string restore_directory() const;  // each: what was found, "" when nothing changed
  std::string restore_locale() const;
  std::string restore_signal_mask() const;

  std::string directory_;
  std::string locale_;
  locale_t thread_locale_;
  sigset_t signal_mask_;
};

}  // namespace broch::abi
