// run_control.hpp: carries out requests of broch ctl on all ranks of a run.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "control/server.hpp"
#include "dist/group.hpp"
#include "log_folder/run_record.hpp"
#include "session/changes.hpp"
#include "session/checkpoints.hpp"
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
    const log_folder::RunRecord* record = nullptr;
    dist::Group* group = nullptr;  // the ranks that train; nullptr if there is one
    uint32_t rank = 0;
    std::string log_dir;                     // where the socket is; "": this rank has none
    std::function<void()> settings_changed;  // called after a change
  };
  // If the folder cannot hold a socket, only warns and trains without it.
  explicit RunControl(Deps deps);
  RunControl(const RunControl&) = delete;
  RunControl& operator=(const RunControl&) = delete;

  // Whether requests are possible: this rank has a socket, or another rank may have one.
  bool is_of_use() const { return server_ || deps_.group; }
  // Carries out the requests since the last call. All ranks call this between the same two steps.
  void take_requests();

 private:
  struct Attempt {  // the result of a change on one rank
    std::optional<Changes::Done> done;
    std::string failure;
  };
  std::unique_ptr<control::Server> serve();
  value::Value status() const;
  value::Value perform(const control::Request& request);
  Changes::Done set(const std::string& name, const std::string& value);
  void tell(const Changes::Done& done) const;
  Attempt try_line(const std::string& line);
  void settle(const Attempt& attempt);
  std::string taken_back(const Attempt& attempt);

  Deps deps_;
  std::unique_ptr<control::Server> server_;
};

}  // namespace broch::session
