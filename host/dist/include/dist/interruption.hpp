// interruption.hpp: for engines: ends the calls without a limit, of a group and of the groups made
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
  // One call that is waiting. While this object exists, raise() calls `end`. If raise() has been
  // called before, the constructor calls `end` at once.
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

  void raise(const base::Error& why);  // only the first error is kept
  void check() const;                  // throws the error, if there is one

 private:
  mutable std::mutex mutex_;
  std::optional<base::Error> why_;
  std::list<std::function<void()>> ends_;
};

}  // namespace broch::dist
