// rows.hpp: a data set that the program reads from files and a plain loop from memory, and the
// weights that a training has saved.
#pragma once
#include "cli_harness/cli_harness.hpp"
#include "language_parity/plain.hpp"

namespace broch::parity {

// Blobs of kClasses kinds with noise, so that there is something to learn; elements a row.
Rows make_rows(int64_t elements);

// Writes them to the folder and gives the manifest's dataflow of batches: rows of that shape,
// labels.
cli_harness::Json dataflow(const cli_harness::Folder& folder, const Rows& rows,
                           const std::vector<int64_t>& row_shape);

// The trainable variables of model-{step}.
Weights weights(const cli_harness::Training& training, int64_t step);

// A digest of all of them, for a person.
std::string hash(const Weights& weights);

}  // namespace broch::parity
