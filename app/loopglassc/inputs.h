// Values for a network's inputs, as --input names them.
#pragma once

#include "core/support/result.h"
#include "core/tensor/tensor.h"

#include <map>

namespace loopglass::app {

// "name=file.pb" for each, a serialised tensor. UsageInvalid, TestDataUnreadable.
Result<std::map<std::string, Tensor>> read_inputs(const std::vector<std::string>& arguments);

}  // namespace loopglass::app
