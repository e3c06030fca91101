// Tensors as NumPy keeps them: files with the ending .npy (NEP 1), versions 1 to 3.
#pragma once

#include "core/support/result.h"
#include "core/tensor/tensor.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace loopglass {

// Numbers and bools of either byte order, rows or columns first. TestDataUnreadable: it is no such
// file, or shorter than it says. TypeUnsupported: of elements that are none of ours.
Result<Tensor> parse_npy(std::string_view bytes);
Result<Tensor> read_npy(const std::filesystem::path& path);

// Little-endian, rows first.
std::string to_npy(const Tensor& tensor);
Result<void> write_npy(const Tensor& tensor, const std::filesystem::path& path);

}  // namespace loopglass
