// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

contract Logging {
    uint256[] internal log;
    mapping(address => uint256[]) internal logs;
    uint256 internal last;

    struct Note {
        uint256 at;
        address by;
    }

    Note[] internal notes;

    function note(uint256 i, uint256 v) external {
        log[i] = v;
    }

    function sign(uint256 i) external {
        notes[i].by = msg.sender;
    }

    function own(uint256 i, uint256 v) external {
        logs[msg.sender][i] = v;
    }

    function keep(uint256 v) external {
        last = v;
    }

    function read(uint256 i) external view returns (uint256) {
        return log[i];
    }
}

/// Texts keep their bytes in place of a length.
contract Named {
    string internal name;
    uint256[] internal log;

    function rename(string calldata to) external {
        name = to;
    }

    function note(uint256 v) external {
        log.push(v);
    }
}
