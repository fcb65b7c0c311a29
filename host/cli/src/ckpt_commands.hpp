// ckpt_commands.hpp: the subcommands of broch ckpt that write.
#pragma once
#include <CLI/CLI.hpp>

namespace broch::cli {

// Adds convert, strip, average and merge.
void add_ckpt_weights(CLI::App& ckpt, int& exit_code);

}  // namespace broch::cli
