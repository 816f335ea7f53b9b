# Runs at each build: writes version.h anew when the git commit changed. A tree without git says
# "unknown".
execute_process(COMMAND git -C ${SOURCE_DIR} rev-parse --short HEAD
                OUTPUT_VARIABLE ASTITCH_GIT_HASH OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT ASTITCH_GIT_HASH)
  set(ASTITCH_GIT_HASH unknown)
endif()
configure_file(${SOURCE_DIR}/tools/common/version.h.in ${OUTPUT} @ONLY)
