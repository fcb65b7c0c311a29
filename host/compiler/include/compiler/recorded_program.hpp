// recorded_program.hpp: a finished recording.
#pragma once
#include <mutex>

#include "compiler/names.hpp"
#include "program/program.hpp"
#include "runtime/program.hpp"

namespace broch::compiler {

// The values that a program computes once, before its first run. They never change afterwards.
struct Prepared {
  std::vector<std::unique_ptr<Arena>> values;  // by buffer; nullptr: no such value
};

class TorchRecordedProgram final : public RecordedProgram {
 public:
  explicit TorchRecordedProgram(Program program) : program_(std::move(program)) {}

  std::unique_ptr<Executable> compile(const CompileOptions& options) const override;
  size_t operators() const override { return program_.nodes.size(); }
  std::string text() const override { return text_of(program_); }
  std::string dot() const override { return dot_of(program_); }

 private:
  // Executables that are compiled alike share what is computed once, as long as one of them lives.
  struct Shared {
    CompileOptions options;  // only what passes depend on
    std::weak_ptr<const Prepared> prepared;
  };
  Shared& shared_for(const CompileOptions& options) const;  // REQUIRES: mutex_

  Program program_;
  mutable std::mutex mutex_;
  mutable std::vector<Shared> shared_;  // guarded by mutex_
};

}  // namespace broch::compiler
