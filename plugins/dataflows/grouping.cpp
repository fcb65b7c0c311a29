// grouping.cpp: dataflows that make batches and blocks of points of different shapes: padded-batch,
// batch-by-shape, bucket-by-length, pack-tokens.
#include "combinators/batch_by_shape.hpp"
#include "combinators/bucket_by_length.hpp"
#include "combinators/pack_tokens.hpp"
#include "combinators/padded_batch.hpp"

namespace flows = broch::dataflows;

BROCH_COMPONENTS(
    broch::component<flows::PaddedBatch>(
        "broch.dataflow.padded-batch", "dataflow", "1.0.0",
        "Stacks consecutive data points, and pads those that are smaller.",
        flows::PaddedBatchOptions::schema),
    broch::component<flows::BatchByShape>("broch.dataflow.batch-by-shape", "dataflow", "1.0.0",
                                          "Stacks data points that have the same shapes.",
                                          flows::BatchByShapeOptions::schema),
    broch::component<flows::BucketByLength>("broch.dataflow.bucket-by-length", "dataflow", "1.0.0",
                                            "Stacks and pads data points of similar length.",
                                            flows::BucketByLengthOptions::schema),
    broch::component<flows::PackTokens>("broch.dataflow.pack-tokens", "dataflow", "1.0.0",
                                        "Packs lists of tokens into blocks of a fixed length.",
                                        flows::PackTokensOptions::schema))
