// predictors.hpp: what broch.predict/1 and broch.async_predict/1 share.
#pragma once
#include <memory>

#include "tables.hpp"

namespace broch::train {

// A predictor belongs to its handle, and to the asynchronous predictors that use it.
using SharedPredictor = std::shared_ptr<Predictor>;

// Throws abi::CallError if the handle is not one of the instance's predictors.
SharedPredictor predictor_at(Instance& instance, broch_predictor handle);
// Throws abi::CallError if a function got another number of inputs or outputs.
void require_count(const char* function, const char* what, size_t expected, uint32_t found);

}  // namespace broch::train
