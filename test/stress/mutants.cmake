# SPDX-License-Identifier: MIT
#
# mutants.cmake - programs under stress, and the mutants that they must catch
#
# A *kind* says how a program is compiled: native; chaos, with random stumbles
# at each access (backend_chaos.h); tsan, the same under ThreadSanitizer.

# How often a mutant is run, and one that is found by waiting for what does not
# come.  Once shows that it can be caught; more, that it always is.
if(TKT_NIGHTLY)
	set(STRESS_RUNS 20)
	set(STRESS_SLOW_RUNS 5)
else()
	set(STRESS_RUNS 5)
	set(STRESS_SLOW_RUNS 2)
endif()

set(STRESS_DIR ${CMAKE_CURRENT_LIST_DIR})
set(STRESS_MUTATE ${STRESS_DIR}/mutate.sh)

# The headers as they are, and the misuse checks that the user asked for: a
# mutant is to be caught by the tests, not by those.
add_library(stress_checked INTERFACE)
target_compile_definitions(stress_checked INTERFACE
	$<$<BOOL:${TKT_DEBUG}>:TKT_DEBUG=${TKT_DEBUG}>)

# stress_compile(TARGET KIND [INCLUDE_DIR]): of that kind, and with a mutant's
# headers if they are named.
function(stress_compile target kind)
	if(kind STREQUAL native)
		target_compile_definitions(${target} PUBLIC LOCK_BACKEND=native)
	else()
		target_compile_definitions(${target} PUBLIC LOCK_BACKEND=chaos
			"TKT_BACKEND=<tkt/backend_chaos.h>")
	endif()
	if(kind STREQUAL tsan)
		target_compile_options(${target} PUBLIC -fsanitize=thread)
		target_link_options(${target} PUBLIC -fsanitize=thread)
	endif()
	if(ARGN)
		target_include_directories(${target} BEFORE PRIVATE ${ARGN})
		# What a mutant no longer does may leave something unused.
		target_compile_options(${target} PRIVATE -w)
	else()
		target_link_libraries(${target} PRIVATE stress_checked)
	endif()
endfunction()

function(add_stress_test name program)
	add_test(NAME stress.${name} COMMAND ${program} ${ARGN})
	set_tests_properties(stress.${name} PROPERTIES LABELS stress
		TIMEOUT 1200 PROCESSORS 2
		ENVIRONMENT TSAN_OPTIONS=halt_on_error=1)
endfunction()

# stress_headers(VARIABLE): the public headers, relative to include/.
function(stress_headers variable)
	file(GLOB_RECURSE found CONFIGURE_DEPENDS
		RELATIVE ${PROJECT_SOURCE_DIR}/include
		${PROJECT_SOURCE_DIR}/include/*.h)
	set(${variable} ${found} PARENT_SCOPE)
endfunction()

# stress_mutate(NAME TARGET): the directory mutants/NAME gets the headers with
# that edit of mutants.txt, in time for TARGET.
function(stress_mutate name target)
	set(table ${CMAKE_CURRENT_SOURCE_DIR}/mutants.txt)
	set(dir ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
	stress_headers(headers)
	set(from ${headers})
	set(to ${headers})
	list(TRANSFORM from PREPEND ${PROJECT_SOURCE_DIR}/include/)
	list(TRANSFORM to PREPEND ${dir}/)
	add_custom_command(OUTPUT ${to}
		COMMAND ${STRESS_MUTATE} apply ${table} ${name}
			${PROJECT_SOURCE_DIR}/include ${dir}
		DEPENDS ${table} ${STRESS_MUTATE} ${from} VERBATIM)
	add_custom_target(mutate_${target} DEPENDS ${to})
	add_dependencies(${target} mutate_${target})
endfunction()

# add_mutants(PREFIX BUILD [OPTION=VALUE...]): each entry of this directory's
# mutants.txt is built, and must be caught; the original, built and run alike,
# but with these options more, must pass.  BUILD(TARGET KIND DEFINITIONS
# [INCLUDE_DIR]) adds the program.
function(add_mutants prefix build)
	set(table ${CMAKE_CURRENT_SOURCE_DIR}/mutants.txt)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
		${table} ${STRESS_MUTATE})
	execute_process(COMMAND ${STRESS_MUTATE} list ${table}
		OUTPUT_VARIABLE list OUTPUT_STRIP_TRAILING_WHITESPACE
		COMMAND_ERROR_IS_FATAL ANY)
	string(REPLACE "\n" ";" list "${list}")
	foreach(entry IN LISTS list)
		string(REGEX MATCH "^(.*)\\|((tsan|native):)?(.*)\\|(.*)\\|(.*)\\|(.*)$"
			_ ${entry})
		set(name ${CMAKE_MATCH_1})
		set(kind chaos)
		if(CMAKE_MATCH_3)
			set(kind ${CMAKE_MATCH_3})
		endif()
		set(check ${CMAKE_MATCH_4})
		set(symptom ${CMAKE_MATCH_5})
		string(REPLACE " " ";" defines "${CMAKE_MATCH_6}")
		string(REPLACE " " ";" options "${CMAKE_MATCH_7}")
		string(MAKE_C_IDENTIFIER
			"original_${build}_${kind}_${CMAKE_MATCH_6}" original)

		cmake_language(CALL ${build} ${prefix}mutant_${name} ${kind}
			"${defines}" ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
		stress_mutate(${name} ${prefix}mutant_${name})
		# One program for each set of flags.
		if(NOT TARGET ${original})
			cmake_language(CALL ${build} ${original} ${kind}
				"${defines}")
		endif()

		set(runs ${STRESS_RUNS})
		if(symptom MATCHES hang OR options MATCHES patience)
			set(runs ${STRESS_SLOW_RUNS})
		endif()
		add_stress_test(mutant.${prefix}${name} ${prefix}mutant_${name}
			${check} "${symptom}" ${runs} ${options})
		add_stress_test(original.${prefix}${name} ${original}
			${check} pass 1 ${options} ${ARGN})
	endforeach()
endfunction()
