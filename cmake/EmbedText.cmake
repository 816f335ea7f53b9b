# Writes OUTPUT, a C++ file that defines kEmbeddedMachines from the JSON files in FOLDER. Run as a script:
#   cmake -DFOLDER=... -DOUTPUT=... -P EmbedText.cmake
file(GLOB files ${FOLDER}/*.json)
list(SORT files)
set(text "#include \"stitch/embedded_machines.h\"\n\nnamespace astitch {\nnamespace {\n")
string(APPEND text "constexpr EmbeddedMachine kFiles[] = {\n")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  file(READ ${file} content)
  string(APPEND text "    {\"${name}\", R\"json(${content})json\"},\n")
endforeach()
string(APPEND text "};\n}  // namespace\n")
string(APPEND text "const absl::Span<const EmbeddedMachine> kEmbeddedMachines = kFiles;\n}  // namespace astitch\n")
file(WRITE ${OUTPUT} "${text}")
