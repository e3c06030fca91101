// What is used of ONNX Runtime's C interface (onnxruntime_c_api.h), which Debian 12 has no package
// of: the head of its table of functions, by their places there. The table is only ever appended
// to: programs made for its version 5, which these are of, run with every later one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace loopglass::library::onnx_runtime {

struct Environment;
struct Status;  // null: all went well
struct MemoryInfo;
struct Session;
struct SessionOptions;
struct Value;

enum class Logging : int { Fatal = 4 };  // what fails is told as a status, too
enum class Allocator : int { Device = 0 };
enum class MemoryType : int { Default = 0 };

struct Functions {
  using Unused = void (*)();

  Unused from_0[2];
  const char* (*message)(const Status*);
  Status* (*create_environment)(Logging, const char* name, Environment**);
  Unused from_4[3];
  Status* (*create_session)(const Environment*, const char* path, const SessionOptions*, Session**);
  Status* (*create_session_from_array)(const Environment*, const void* model, std::size_t bytes,
                                       const SessionOptions*, Session**);
  // Outputs that are there are written to; null ones are made.
  Status* (*run)(Session*, const void* run_options, const char* const* input_names,
                 const Value* const* inputs, std::size_t input_count,
                 const char* const* output_names, std::size_t output_count, Value** outputs);
  Status* (*create_session_options)(SessionOptions**);
  Unused from_11[13];
  Status* (*set_threads_in_operators)(SessionOptions*, int threads);
  Status* (*set_threads_between_operators)(SessionOptions*, int threads);
  Unused from_26[23];
  Status* (*create_tensor_with_data)(const MemoryInfo*, void* data, std::size_t bytes,
                                     const std::int64_t* shape, std::size_t rank, int element_type,
                                     Value**);
  Unused from_50[19];
  Status* (*create_memory_info_of_processor)(Allocator, MemoryType, MemoryInfo**);
  Unused from_70[23];
  void (*release_status)(Status*);
  void (*release_memory_info)(MemoryInfo*);
  void (*release_session)(Session*);
  void (*release_value)(Value*);
  Unused from_97[3];
  void (*release_session_options)(SessionOptions*);
  Unused from_101[29];
  Status* (*set_in_session)(SessionOptions*, const char* key, const char* value);
};
static_assert(offsetof(Functions, run) == 9 * sizeof(void*));
static_assert(offsetof(Functions, set_threads_in_operators) == 24 * sizeof(void*));
static_assert(offsetof(Functions, create_tensor_with_data) == 49 * sizeof(void*));
static_assert(offsetof(Functions, create_memory_info_of_processor) == 69 * sizeof(void*));
static_assert(offsetof(Functions, release_session_options) == 100 * sizeof(void*));
static_assert(offsetof(Functions, set_in_session) == 130 * sizeof(void*));

// What the library's one entry gives.
struct Base {
  const Functions* (*functions)(std::uint32_t version);  // null: it has no such version
  const char* (*version)();
};
using Entry = const Base* (*)();
inline constexpr const char* entry_name = "OrtGetApiBase";
inline constexpr std::uint32_t interface_version = 5;

}  // namespace loopglass::library::onnx_runtime
