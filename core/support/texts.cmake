# Writes OUTPUT, which defines NAMESPACE::NAME() of HEADER: a ROW {name, text} of each file (a list, one a line, in LIST).
cmake_minimum_required(VERSION 3.25)
file(STRINGS ${LIST} files)
set(rows "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND rows "    {\"${name}\", R\"text(${text})text\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"#include \"@HEADER@\"

namespace @NAMESPACE@ {

std::span<const @ROW@> @NAME@() {
  static constexpr @ROW@ files[]{
@rows@  };
  return files;
}

}  // namespace @NAMESPACE@
")
