# SPDX-License-Identifier: MIT
#
# peers.cmake - locks of other libraries, where they are installed
#
# Adds to TKT_LOCK_NATIVE_SOURCES, and defines tkt_peers: what their adapters
# are compiled with and linked to.
add_library(tkt_peers INTERFACE)

# ThreadSanitizer does not see into libraries that were built without it, and
# takes what they protect for unprotected.
if(TKT_SANITIZE MATCHES thread)
	return()
endif()

# peer(NAME PACKAGE FOUND): says what is missing; PEER_FOUND.
macro(peer name package)
	set(PEER_FOUND FALSE)
	if(${ARGN})
		set(PEER_FOUND TRUE)
	else()
		message(STATUS "without the locks of ${name}: no ${package}")
	endif()
endmacro()

find_path(CK_INCLUDE_DIR ck_spinlock.h)
mark_as_advanced(CK_INCLUDE_DIR)
peer(ConcurrencyKit libck-dev CK_INCLUDE_DIR)
if(PEER_FOUND)
	list(APPEND TKT_LOCK_NATIVE_SOURCES peer_ck.c)
	target_include_directories(tkt_peers SYSTEM INTERFACE ${CK_INCLUDE_DIR})
	target_compile_definitions(tkt_peers INTERFACE WITH_CK)
endif()

find_path(NSYNC_INCLUDE_DIR nsync.h)
find_library(NSYNC_LIBRARY nsync)
mark_as_advanced(NSYNC_INCLUDE_DIR NSYNC_LIBRARY)
peer(nsync libnsync-dev NSYNC_INCLUDE_DIR AND NSYNC_LIBRARY)
if(PEER_FOUND)
	list(APPEND TKT_LOCK_NATIVE_SOURCES peer_nsync.c)
	target_include_directories(tkt_peers SYSTEM INTERFACE
		${NSYNC_INCLUDE_DIR})
	target_link_libraries(tkt_peers INTERFACE ${NSYNC_LIBRARY})
	target_compile_definitions(tkt_peers INTERFACE WITH_NSYNC)
endif()

include(CheckLanguage)
check_language(CXX)
peer(C++ g++ CMAKE_CXX_COMPILER)
if(NOT PEER_FOUND)
	return()
endif()
enable_language(CXX)
list(APPEND TKT_LOCK_NATIVE_SOURCES peer_cxx.c)
add_library(tkt_peers_cxx STATIC peer_std.cc)
# The programs are linked as C programs.
target_link_libraries(tkt_peers_cxx PRIVATE tkt_own
	INTERFACE ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
target_link_libraries(tkt_peers INTERFACE tkt_peers_cxx)
target_compile_definitions(tkt_peers INTERFACE WITH_STD)

find_package(absl CONFIG QUIET)
peer(Abseil libabsl-dev TARGET absl::synchronization)
if(PEER_FOUND)
	target_sources(tkt_peers_cxx PRIVATE peer_absl.cc)
	target_link_libraries(tkt_peers_cxx PRIVATE absl::synchronization)
	target_compile_definitions(tkt_peers INTERFACE WITH_ABSL)
endif()
