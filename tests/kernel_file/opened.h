// Kernels as text, opened as a person opens them, and what comes of it.
#pragma once

#include "core/onnx/import.h"
#include "core/session.h"

#include <map>
#include <memory>
#include <string>

namespace loopglass::kernel_file {

onnx::Source source_of(const std::string& name, const std::string& text);

// What is said of a text that is refused, as it has to be.
std::string refusal(const std::string& name, const std::string& text,
                    const onnx::ImportOptions& options = {});

std::unique_ptr<Session> opened(const onnx::Source& source,
                                std::map<std::string, std::int64_t> symbols);

// Compiled as the session compiles, beside the program's own meaning.
void compare_with_interpreter(Session& session);

}  // namespace loopglass::kernel_file
