// record.hpp: sweep.json in the folder of a sweep: its trials, so that a killed sweep can continue.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "halving.hpp"
#include "sweep/trial.hpp"

namespace broch::sweep {

// "waiting", "running", "paused" (at a rung), "finished", "failed", "pruned".
std::string state_of(const Trial& trial, const Decision& decision, bool running);
// What counts of the trial: without the epochs after the one at which it was pruned.
int64_t last_epoch_of(const Trial& trial, const Decision& decision);

struct Record {
  std::string checksum;  // of the manifest
  std::vector<Trial> trials;
};

std::string record_file(const Spec& spec);
// Replaces the file atomically. running: by index of the trial.
void write_record(const Spec& spec, const Record& record, const std::vector<Decision>& decisions,
                  const std::vector<bool>& running);
// Reads the file and the log folders of the trials. Nothing if there is none. Throws base::Error
// (data) if it is damaged.
std::optional<Record> read_record(const Spec& spec);

}  // namespace broch::sweep
