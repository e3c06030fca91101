# Writes OUTPUT, which holds the texts of FILES (a list, one a line, in LIST).
file(STRINGS ${LIST} files)
set(rows "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"kernel(${text})kernel\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"#include \"samples/kernel_texts.h\"

namespace loopglass::samples {

std::span<const KernelFile> kernel_files() {
  static constexpr KernelFile files[]{
@rows@  };
  return files;
}

}  // namespace loopglass::samples
")
