// environment.hpp: what belongs to the whole process and a plugin must leave as it was.
#pragma once
#include <locale.h>
#include <signal.h>

#include <string>

#include "abi/fp_control.hpp"
#include "base/error.hpp"

namespace broch::abi {

class Instance;

// Working directory, locale, signal mask and what happens on SIGINT and SIGTERM, as they are when
// it is made. Compared after loading, create, setup_graph, before_train and each epoch: per call it
// would cost some 50 microseconds.
class Environment {
 public:
  Environment();
  // Throws base::Error (training) naming the instance when something changed, after restoring it.
  void check(const Instance& instance, const char* hook) const;
  // The same where nobody knows who it was, "in epoch 2".
  void check_steps(const std::string& when) const;
  // The same after the constructors of a library, floating-point control included; Exit::plugin.
  void check_loading(const std::string& file) const;

 private:
  std::string restore_directory() const;  // each: what was found, "" when nothing changed
  std::string restore_locale() const;
  std::string restore_signal_mask() const;
  std::string restore_signal_handlers() const;
  std::string restore_fp_control() const;
  // What was found, joined; "" when nothing changed.
  std::string restore() const;

  std::string directory_;
  std::string locale_;
  locale_t thread_locale_;
  sigset_t signal_mask_;
  struct sigaction interrupt_, terminate_;
  FpControl fp_control_;
};

}  // namespace broch::abi
