// environment.hpp: what belongs to the whole process, so that a plugin must leave it unchanged.
#pragma once
#include <locale.h>
#include <signal.h>
#include <sys/types.h>

#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/fp_control.hpp"

namespace broch::abi {

class Instance;

// Stores the working directory, the locale, the signal mask and the handlers of SIGINT and SIGTERM
// as they are at construction. They are compared after loading, create, setup_graph, before_train
// and each epoch; after every call it would cost too much, about 50 microseconds.
class Environment {
 public:
  Environment();
  // If something has changed, restores it and throws base::Error (training), which names the
  // instance.
  void check(const Instance& instance, const char* hook) const;
  // The same when it is not known which plugin did it. `when` is for the message, such as "in epoch
  // 2".
  void check_steps(const std::string& when) const;
  // The same after the constructors of a library have run. It also compares floating-point control,
  // and throws Error (plugin).
  void check_loading(const std::string& file) const;

 private:
  std::string restore_directory() const;  // each returns what had changed, or ""
  std::string restore_locale() const;
  std::string restore_signal_mask() const;
  std::string restore_signal_handlers() const;
  std::string restore_fp_control() const;
  // Calls these, except for fp_control, and joins their results.
  std::string restore() const;

  std::string directory_;
  std::pair<dev_t, ino_t> directory_id_;  // stays when the directory is renamed
  std::string locale_;
  locale_t thread_locale_;
  sigset_t signal_mask_;
  struct sigaction interrupt_, terminate_;
  base::FpControl fp_control_;
};

}  // namespace broch::abi
