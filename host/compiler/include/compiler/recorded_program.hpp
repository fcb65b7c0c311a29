// recorded_program.hpp: a finished recording.
#pragma once
#include "compiler/names.hpp"
#include "compiler/program.hpp"
#include "runtime/program.hpp"

namespace broch::compiler {

class TorchRecordedProgram final : public RecordedProgram {
 public:
  explicit TorchRecordedProgram(Program program) : program_(std::move(program)) {}

  std::unique_ptr<Executable> compile(const CompileOptions& options) const override;
  size_t operators() const override { return program_.nodes.size(); }
  std::string text() const override { return text_of(program_); }
  std::string dot() const override { return dot_of(program_); }

 private:
  Program program_;
};

}  // namespace broch::compiler
