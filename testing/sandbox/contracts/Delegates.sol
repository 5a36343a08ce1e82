// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A delegate that does for anybody what an account can do.
contract OpenDelegate {
    function execute(address target, uint256 value, bytes calldata data) external payable returns (bytes memory) {
        (bool ok, bytes memory answer) = target.call{value: value}(data);
        require(ok, "call failed");
        return answer;
    }

    receive() external payable {}
}

/// A delegate that one key drives, whosever the account is.
contract KeyedDelegate {
    address private immutable _key;

    constructor(address key) {
        _key = key;
    }

    function execute(address target, uint256 value, bytes calldata data) external payable {
        require(msg.sender == _key, "not the key");
        (bool ok,) = target.call{value: value}(data);
        require(ok, "call failed");
    }

    receive() external payable {}
}
