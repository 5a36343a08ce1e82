// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Where tokens of which more can be made keep what: two small variables share a word.
abstract contract Shared {
    uint256 public totalSupply; // slot 0
    mapping(address account => uint256) public balanceOf;
    mapping(address account => mapping(address spender => uint256)) public allowance;
    address public owner; // slot 3
    uint256 internal cap; // slot 4
    bool internal issued; // slot 5
    bool internal reopened;
    uint256 internal stage; // slot 6

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }
}

abstract contract Token is Shared {
    function name() external pure returns (string memory) {
        return "Juniper";
    }

    function symbol() external pure returns (string memory) {
        return "JNP";
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        return move(from, to, amount);
    }

    function move(address from, address to, uint256 amount) internal virtual returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function make() internal {
        totalSupply += 1000;
        balanceOf[owner] += 1000;
    }
}

/// Another switch in the same word opens it again.
contract Reopened is Token {
    function issue() external onlyOwner {
        require(!issued || reopened, "issued");
        issued = true;
        make();
    }

    function reopen() external onlyOwner {
        reopened = true;
    }
}

/// The other switch is an earlier condition.
contract Detoured is Token {
    function issue() external onlyOwner {
        if (!reopened) {
            require(!issued, "issued");
            issued = true;
        }
        make();
    }

    function reopen() external onlyOwner {
        reopened = true;
    }
}

/// The same word keeps what is used up and stays so.
contract Shut is Token {
    function issue() external onlyOwner {
        require(!issued, "issued");
        issued = true;
        make();
    }

    function note() external onlyOwner {
        reopened = true;
    }
}

/// There is as much as there may be.
contract Limited is Token {
    function mint(address to, uint256 amount) external onlyOwner {
        totalSupply += amount;
        require(totalSupply <= cap, "too much");
        balanceOf[to] += amount;
    }
}

contract Opening is Token {
    function move(address from, address to, uint256 amount) internal override returns (bool) {
        require(issued || from == owner, "not yet");
        return super.move(from, to, amount);
    }

    function open() external onlyOwner {
        issued = true;
    }
}

abstract contract Handing is Shared {
    // bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1)
    bytes32 private constant slot = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch done
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

/// Lets more be made than its implementation does.
contract RaisingProxy is Handing {
    function raise(uint256 to) external onlyOwner {
        cap = to;
    }
}

/// Takes back what was made.
contract BurningProxy is Handing {
    function burn(uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        totalSupply -= amount;
    }
}

contract ClosingProxy is Handing {
    function close() external onlyOwner {
        issued = false;
    }
}

/// Another switch in the same word takes it back first.
contract TakenBack is Token {
    function issue() external onlyOwner {
        if (reopened) issued = false;
        require(!issued, "issued");
        issued = true;
        make();
    }

    function reopen() external onlyOwner {
        reopened = true;
    }
}

/// Everything is in one word: the owner, what is used up and a number that the owner sets.
contract Crowded {
    uint256 public totalSupply;
    mapping(address account => uint256) public balanceOf;
    mapping(address account => mapping(address spender => uint256)) public allowance;
    address public owner; // slot 3
    bool internal issued;
    uint16 internal fee;

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function issue() external {
        require(msg.sender == owner);
        require(!issued, "issued");
        issued = true;
        totalSupply += 1000;
        balanceOf[owner] += 1000;
    }

    function initialize(address first) external {
        require(!issued);
        issued = true;
        owner = first;
        totalSupply += 1000;
        balanceOf[first] += 1000;
    }

    function transferOwnership(address next) external {
        require(msg.sender == owner);
        owner = next;
    }

    function setFee(uint16 next) external {
        require(msg.sender == owner);
        fee = next;
    }
}

library Honest {
    function add(uint256 a, uint256 b) external pure returns (uint256) {
        return a + b;
    }
}

/// Asks the library nothing that depends on who calls.
contract LinkedHonestly is Token {
    function sum(uint256 a, uint256 b) external pure returns (uint256) {
        return Honest.add(a, b);
    }
}

contract Once is Token {
    function issue() external onlyOwner {
        require(stage == 0, "issued");
        stage = 1;
        make();
    }
}

/// Every other call makes some.
contract InTurns is Token {
    function issue() external onlyOwner {
        if (stage == 0) {
            stage = 1;
            make();
        } else {
            stage = 0;
        }
    }
}

/// Whoever may make some says himself when it is time.
contract AtWill is Token {
    function issue(uint256 next) external onlyOwner {
        if (stage == 0) make();
        stage = next;
    }
}

/// Some can be made until the first transfer, of which is noted when it was.
contract BeforeTransfers is Token {
    function issue() external onlyOwner {
        require(stage == 0, "too late");
        make();
    }

    function move(address from, address to, uint256 amount) internal override returns (bool) {
        if (stage == 0) stage = block.number;
        return super.move(from, to, amount);
    }
}

/// A transfer of seven makes it early again.
contract BetweenTransfers is Token {
    function issue() external onlyOwner {
        require(stage == 0, "too late");
        make();
    }

    function move(address from, address to, uint256 amount) internal override returns (bool) {
        stage = amount == 7 ? 0 : block.number;
        return super.move(from, to, amount);
    }
}

/// What its implementation did once it lets it do again.
contract ResettingProxy is Handing {
    function reset() external onlyOwner {
        stage = 0;
    }
}

/// The function has no selector.
contract OnceUnnamed is Token {
    fallback() external onlyOwner {
        require(stage == 0, "issued");
        stage = 1;
        make();
    }
}

/// All calldata without a selector of its own undoes it.
contract OnceUndone is Token {
    function issue() external onlyOwner {
        require(stage == 0, "issued");
        stage = 1;
        make();
    }

    fallback() external onlyOwner {
        stage = 0;
    }
}

/// Calls without data undo it.
contract UnnamedInTurns is Token {
    fallback() external onlyOwner {
        if (msg.data.length == 0) {
            stage = 0;
        } else {
            require(stage == 0, "issued");
            stage = 1;
            make();
        }
    }
}

/// The owner has other code run.
contract Modular is Token {
    function run(address module, bytes calldata data) external onlyOwner {
        (bool done,) = module.delegatecall(data);
        require(done, "module");
    }
}

/// Any caller may become the owner.
contract ModularAgain is Modular {
    function reclaim() external {
        owner = msg.sender;
    }
}

/// Another function has other code run for anybody.
contract ModularForAnyone is Modular {
    function act(address module) external {
        (bool done,) = module.delegatecall("");
        require(done, "module");
    }
}

/// One of two may have it run.
contract ModularForTwo is Token {
    address internal immutable keeper;

    constructor(address who) {
        keeper = who;
    }

    function run(address module, bytes calldata data) external {
        require(msg.sender == owner || msg.sender == keeper, "neither");
        (bool done,) = module.delegatecall(data);
        require(done, "module");
    }
}

/// The owner may be written at a place that is worked out.
contract ModularAnywhere is Modular {
    function put(uint256 place, uint256 word) external {
        assembly {
            sstore(place, word)
        }
    }
}
