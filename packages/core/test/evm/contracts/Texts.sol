// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

// Texts that are put into storage out of memory and out of the calldata, with what is longer there cleared.
contract Texts {
    mapping(address => uint256) public balanceOf;
    string public name;
    string public symbol;
    bytes[] public lines;
    function initialize(string calldata n, string calldata s) external { name = n; symbol = s; }
    function rename(string memory n) external { name = n; }
    function write(bytes calldata line) external { lines.push(line); }
    function rewrite(uint256 i, bytes memory line) external { lines[i] = line; }
}
