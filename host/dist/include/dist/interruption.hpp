// interruption.hpp: for engines: what ends the calls without a limit of a group and of those made
// from it.
#pragma once
#include <functional>
#include <list>
#include <mutex>
#include <optional>

#include "base/error.hpp"

namespace broch::dist {

class Interruption {
 public:
  // While it lives, raise() calls `end`; at once, if it was called before.
  class Call {
   public:
    Call(Interruption& of, std::function<void()> end);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Interruption& of_;
    std::list<std::function<void()>>::iterator place_;
  };

  void raise(const base::Error& why);  // the first one stays
  void check() const;                  // throws it

 private:
  mutable std::mutex mutex_;
  std::optional<base::Error> why_;
  std::list<std::function<void()>> ends_;
};

}  // namespace broch::dist
