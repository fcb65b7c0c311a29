// run_control.hpp: what a person can ask of a run while it trains.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "dist/group.hpp"
#include "session/changes.hpp"
#include "session/checkpoints.hpp"
#include "session/control.hpp"
#include "session/run_record.hpp"
#include "train/trainer.hpp"

namespace broch::session {

class RunControl {
 public:
  struct Deps {
    train::Trainer* trainer = nullptr;
    Changes* changes = nullptr;
    Checkpoints* checkpoints = nullptr;
    plan::Interrupt* interrupt = nullptr;
    broch_progress* progress = nullptr;
    const RunRecord* record = nullptr;
    dist::Group* group = nullptr;  // of those that train; nullptr: there is one
    uint32_t rank = 0;
    std::string log_dir;                     // where it is asked; "": nobody can ask this rank
    std::function<void()> settings_changed;  // somebody has set something
  };
  // A folder that cannot have sockets is no reason not to train: it warns then.
  explicit RunControl(Deps deps);
  RunControl(const RunControl&) = delete;
  RunControl& operator=(const RunControl&) = delete;

  // Whether there may be something to take: somebody can ask this rank or another one.
  bool is_of_use() const { return server_ || deps_.group; }
  // Does what was asked since. All ranks come here between the same two steps.
  void take_requests();

 private:
  struct Attempt {  // on one rank
    std::optional<Changes::Done> done;
    std::string failure;
  };
  std::unique_ptr<ControlServer> serve();
  manifest::Value status() const;
  manifest::Value perform(const ControlRequest& request);
  Changes::Done set(const std::string& name, const std::string& value);
  void tell(const Changes::Done& done) const;
  Attempt try_line(const std::string& line);
  void settle(const Attempt& attempt);
  std::string taken_back(const Attempt& attempt);

  Deps deps_;
  std::unique_ptr<ControlServer> server_;
};

}  // namespace broch::session
